import DirectoryModel

/// Files that hold departments and people, whatever their format.
package enum ListFiles {
  /// Calls `body` with every row that can be read, and collects what is wrong.
  ///
  /// Files are opened one after the other. All vCards are one address book, whether they lie in one file
  /// or in one file each, as vdirsyncer and khard keep them: groups name members of other files, a
  /// department of several cards is made once, and what no card has, none of the files has.
  /// So it is with personnel lists.
  ///
  /// - Parameters:
  ///   - members: The files.
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
    _ body: (Int, TableRow) -> Void
  ) throws(DirectoryError) -> [ListReport] {
    try withoutActuallyEscaping(body) { (body) throws(DirectoryError) in
      let sink = ListSink(problems, body)
      defer { problems = sink.problems }
      return try read(members, options, sink)
    }
  }

  private static func read(
    _ members: [InputSet.Member],
    _ options: ListOptions,
    _ sink: ListSink
  ) throws(DirectoryError) -> [ListReport] {
    var readings: [ListReport] = []
    let cards = members.indices.filter { members[$0].format == .vCard }
    var book = VCardReader(sink, options)
    for index in cards { try book.learnGroups(of: try members[index].open()) }
    let personnel = members.indices.filter { members[$0].format == .personnel }
    var staff = options.mapping.map { PersonnelReader(sink, $0, options) }
    for index in personnel { try staff?.join(try members[index].open()) }
    try staff?.requireTables()
    for index in personnel { try staff?.learn(try members[index].open()) }
    staff?.departments.settle()
    for (index, member) in members.enumerated() {
      sink.member = index
      let file = try member.open()
      switch member.format {
      case .json: readings.append(try JSONReader(file, sink, options.fields).read())
      case .ldif:
        var reader = LDIFReader(file, sink, options)
        readings.append(try reader.read())
      case .vCard: readings.append(try book.read(file))
      case .personnel:
        guard let reading = try staff?.read(file) else {
          preconditionFailure("a personnel list without a mapping")
        }
        readings.append(reading)
      case .departments: readings.append(try readTable(file, .departments, sink, options))
      case .users: readings.append(try readTable(file, .users, sink, options))
      case .memberships: readings.append(try readTable(file, .memberships, sink, options))
      case .list: readings.append(try readTable(file, .list, sink, options))
      }
    }
    book.warn()
    for index in cards { readings[index].absent = book.rows.reading.absent }
    for index in personnel { if let staff { readings[index].absent = staff.rows.reading.absent } }
    return readings
  }

  private static func readTable(
    _ file: InputFile,
    _ layout: TableLayout,
    _ sink: ListSink,
    _ options: ListOptions
  ) throws(DirectoryError) -> ListReport {
    var reader = try DirectoryFileReader(file, layout, fields: options.fields)
    reader.forEachRow(&sink.problems) { sink.take($0) }
    return ListReport(isComplete: reader.isComplete, absent: reader.absence)
  }
}
