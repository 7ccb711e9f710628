import DirectoryModel

/// How lists are read where they leave something open.
package struct ListOptions: Sendable {
  /// The department of people whom a file puts in none.
  package var home: DepartmentID?
  /// The declared fields.
  package var fields: [Field]
  /// What the columns of personnel lists are.
  package var mapping: PersonnelMapping?
  /// The caller's day, as `2026-03-01`: who has left and who begins is told by it.
  package var today: String

  package init(
    home: DepartmentID? = nil,
    fields: [Field] = [],
    mapping: PersonnelMapping? = nil,
    today: String = ""
  ) {
    self.today = today
    self.home = home
    self.fields = fields
    self.mapping = mapping
  }
}

/// What reading a list came to.
package struct ListReport: Sendable {
  /// Whether every record was handed on.
  ///
  /// Where it was not, "in no row" means nothing: the row may be one that was left out.
  package var isComplete = true
  package var absent = MissingListColumns(departments: [], people: [])
}

/// Columns that a list does not have: for rows that the database knows, it keeps what it has.
package struct MissingListColumns: Sendable, Equatable {
  package var departments: Set<TableColumn>
  package var people: Set<TableColumn>
  /// Names of declared fields, by whose they are.
  package var fields: [RecordKind: Set<String>] = [:]

  /// Columns that a list may lack.
  static let columns: [TableColumn] =
    [.description, .title] + Field.contacts.map { .contact($0) } + [.sortOrder, .leads]

  package init(departments: Set<TableColumn>, people: Set<TableColumn>) {
    self.departments = departments.subtracting([.leads])
    self.people = people
  }
}

/// Where the rows of lists go, and what is wrong with them.
final class ListSink {
  var problems: ProblemList
  /// The place of the file that is being read, among those of the import.
  var member = 0
  private let body: (Int, TableRow) -> Void

  init(_ problems: ProblemList, _ body: @escaping (Int, TableRow) -> Void) {
    self.problems = problems
    self.body = body
  }

  func take(_ row: TableRow) { body(member, row) }
}
