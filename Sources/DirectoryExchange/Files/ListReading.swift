import DirectoryModel

/// How lists are read where they leave something open.
package struct ListOptions: Sendable {
  /// The department of people whom a file puts in none.
  package var home: DepartmentID?
  /// The declared fields.
  package var fields: [Field]
  /// What the columns of personnel lists are.
  package var mapping: PersonnelMapping?

  package init(
    home: DepartmentID? = nil,
    fields: [Field] = [],
    mapping: PersonnelMapping? = nil
  ) {
    self.home = home
    self.fields = fields
    self.mapping = mapping
  }
}

/// What reading a list came to.
package struct ListReading: Sendable {
  /// Rows handed on.
  package var rowCount = 0
  /// Whether every record was handed on.
  ///
  /// Where it was not, "in no row" means nothing: the row may be one that was left out.
  package var isComplete = true
  package var absent = ListAbsence(departments: [], people: [])

  package init() {}
}

extension DirectoryFileReader where Layout == ListLayout {
  /// Columns that the file does not have.
  package var absence: ListAbsence {
    let absent = Set(
      ListAbsence.columns.filter { !hasColumn($0) }
    )
    var absence = ListAbsence(departments: absent.subtracting([.leads]), people: absent)
    for owner in ListLayout.owners { absence.fields[owner] = absentFields(of: owner) }
    return absence
  }
}
