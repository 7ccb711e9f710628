import DirectoryModel

/// How lists are read where they leave something open.
package struct ListOptions: Sendable {
  /// The department of people whom a file puts in none.
  package var home: DepartmentID?

  package init(home: DepartmentID? = nil) { self.home = home }
}

/// A file that holds departments and people together, whatever its format.
package enum ListFile {
  /// Calls `body` with every row that can be read, and collects what is wrong.
  ///
  /// A row is borrowed for the time of the call; parents may come after their children.
  ///
  /// - Parameters:
  ///   - member: A file of one of the formats that are lists.
  ///   - options: What to do where the file leaves something open.
  ///   - problems: Gets what is wrong, and warnings.
  ///   - body: Gets the rows.
  /// - Returns: Whether all of it was read, and what it does not have.
  /// - Throws: `.cannotRead`.
  package static func read(
    _ member: InputSet.Member,
    _ options: ListOptions,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) throws(DirectoryError) -> ListReading {
    switch member.format {
    case .json: return try JSONReader(member.file).read(&problems, body)
    case .ldif:
      var reader = LDIFReader(member.file, home: options.home)
      return try reader.read(&problems, body)
    case .vCard:
      var reader = VCardReader(member.file, home: options.home)
      return try reader.read(&problems, body)
    default:
      var reader = try DirectoryFileReader<ListLayout>(member.file)
      reader.forEachRow(&problems, body)
      var reading = ListReading()
      reading.rowCount = reader.rowCount
      reading.isComplete = reader.isComplete
      reading.absent = reader.absence
      return reading
    }
  }
}
