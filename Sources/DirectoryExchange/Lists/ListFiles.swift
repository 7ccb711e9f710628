import DirectoryModel

/// Files that hold departments and people together, whatever their format.
package enum ListFiles {
  /// Calls `body` with every row that can be read, and collects what is wrong.
  ///
  /// Files are opened one after the other. All vCards are one address book, whether they lie in one file
  /// or in one file each, as vdirsyncer and khard keep them: groups name members of other files, a
  /// department of several cards is made once, and what no card has, none of the files has.
  /// So it is with personnel lists.
  ///
  /// - Parameters:
  ///   - members: Files of the formats that are lists.
  ///   - options: What to do where a file leaves something open.
  ///   - problems: Gets what is wrong, and warnings.
  ///   - body: Gets the rows, each with its file's place among the members. A row is borrowed for the
  ///     time of the call; parents may come after their children.
  /// - Returns: For each file, whether all of it was read, and what it does not have.
  /// - Throws: `.cannotRead`.
  package static func read(
    _ members: [InputSet.Member],
    _ options: ListOptions,
    _ problems: inout ProblemList,
    _ body: (Int, ListLayout.Row) -> Void
  ) throws(DirectoryError) -> [ListReading] {
    var readings: [ListReading] = []
    let cards = members.indices.filter { members[$0].format == .vCard }
    var book = VCardReader(options)
    for index in cards { try book.learnGroups(of: try members[index].open()) }
    let personnel = members.indices.filter { members[$0].format == .personnel }
    var staff = options.mapping.map { PersonnelReader($0, options) }
    for index in personnel { try staff?.learnPeople(of: try members[index].open()) }
    for (index, member) in members.enumerated() {
      let file = try member.open()
      readings.append(
        try read(file, member.format, &book, &staff, options, &problems) { body(index, $0) }
      )
    }
    book.warn(&problems)
    for index in cards { readings[index].absent = book.absent }
    for index in personnel { if let staff { readings[index].absent = staff.absent } }
    return readings
  }

  private static func read(
    _ file: InputFile,
    _ format: InputFormat,
    _ book: inout VCardReader,
    _ staff: inout PersonnelReader?,
    _ options: ListOptions,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(DirectoryError) -> ListReading {
    switch format {
    case .json: return try JSONReader(file, fields: options.fields).read(&problems, body)
    case .ldif:
      var reader = LDIFReader(file, options)
      return try reader.read(&problems, body)
    case .vCard: return try book.read(file, &problems, body)
    case .personnel:
      guard let reading = try staff?.read(file, &problems, body) else {
        preconditionFailure("a personnel list without a mapping")
      }
      return reading
    default:
      var reader = try DirectoryFileReader<ListLayout>(file, fields: options.fields)
      reader.forEachRow(&problems, body)
      var reading = ListReading()
      reading.rowCount = reader.rowCount
      reading.isComplete = reader.isComplete
      reading.absent = reader.absence
      return reading
    }
  }
}
