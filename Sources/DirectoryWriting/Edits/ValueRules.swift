import DirectoryModel

/// What the values of records have to be, in words; the database says the same once more.
enum ValueRules {
  /// - Parameters:
  ///   - value: What the user wants to write.
  ///   - column: Where.
  /// - Throws: `.badData`.
  static func require(_ value: String, in column: RecordColumn) throws(DirectoryError) {
    if let problem = problem(value, column) {
      throw DirectoryError(.badData, "cannot set \(column.name): \(problem)")
    }
  }

  /// What is wrong with it; `nil` for nothing.
  static func problem(_ value: String, _ column: RecordColumn) -> String? {
    if value.utf8.contains(0) { return "it contains a NUL character" }
    let scalars = value.unicodeScalars
    switch column {
    case .id:
      let bytes = value.utf8.count
      return (1...DirectoryLimits.idBytes).contains(bytes)
        ? nil : "an id has 1 to \(DirectoryLimits.idBytes) bytes, not \(bytes)"
    case .name:
      if !scalars.contains(where: DirectoryLimits.isVisible) {
        return "a name must contain a visible character"
      }
      return tooLong(scalars.count, DirectoryLimits.nameScalars)
    case .title: return tooLong(scalars.count, DirectoryLimits.titleScalars)
    case .contact: return tooLong(scalars.count, DirectoryLimits.contactScalars)
    case .description: return tooLong(scalars.count, DirectoryLimits.descriptionScalars)
    default: return nil
    }
  }

  /// What is wrong with a value of a declared field; `nil` for nothing.
  static func problem(_ value: String, _ field: Field) -> String? {
    if value.utf8.contains(0) { return "it contains a NUL character" }
    return field.kind.accepts(Array(value.utf8))
      ? nil : "\"\(value)\" is not \(field.kind.requirement)"
  }

  private static func tooLong(_ count: Int, _ limit: Int) -> String? {
    count <= limit ? nil : "it has \(count) characters; the limit is \(limit)"
  }
}
