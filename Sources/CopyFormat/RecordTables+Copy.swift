import DirectoryModel

extension DepartmentTable {
  /// Adds a row of id, parent, the columns of `RecordKind.texts`, and the sort order.
  ///
  /// - Throws: `badData` where the row is not of that shape.
  package mutating func append(copied line: UnsafeRawBufferPointer) throws(DirectoryError) {
    var fields = try CopyTextFields(line)
    try fields.appendNext(to: &ids)
    try fields.appendNext(to: &parents, null: true)
    try fields.appendNext(to: &texts, of: .department)
    sortOrders.append(try fields.nextInt64())
    try fields.finish()
  }
}

extension UserTable {
  /// Adds a row of id, primary department, and the columns of `RecordKind.texts`.
  ///
  /// - Throws: `badData` where the row is not of that shape.
  package mutating func append(copied line: UnsafeRawBufferPointer) throws(DirectoryError) {
    var fields = try CopyTextFields(line)
    try fields.appendNext(to: &ids)
    try fields.appendNext(to: &primaryDepartments)
    try fields.appendNext(to: &texts, of: .user)
    try fields.finish()
  }
}

extension MembershipTable {
  /// Adds a row of user, department, the columns of `RecordKind.texts`, the sort order, and whether
  /// the user leads the department.
  ///
  /// - Throws: `badData` where the row is not of that shape.
  package mutating func append(copied line: UnsafeRawBufferPointer) throws(DirectoryError) {
    var fields = try CopyTextFields(line)
    try fields.appendNext(to: &users)
    try fields.appendNext(to: &departments)
    try fields.appendNext(to: &texts, of: .membership)
    sortOrders.append(try fields.nextInt64())
    leads.append(try fields.nextBool())
    try fields.finish()
  }
}
