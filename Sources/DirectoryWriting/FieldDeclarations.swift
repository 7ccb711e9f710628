import DirectoryModel
import DirectoryStore
import LiveDirectory
import SiteSettings

/// Which fields records have.
package struct FieldDeclarations: Sendable {
  private let session: Session

  package init(_ administrator: Administrator) { session = administrator.session }

  private var site: Site { session.site }

  /// Declares a field; what is not given is that of the usual field of the name.
  ///
  /// - Returns: The field as it is declared now.
  /// - Throws: `.badData` for a name that is taken, reserved or malformed.
  package func addField(
    _ name: String,
    of owner: RecordKind,
    kind: FieldKind? = nil,
    label: String? = nil,
    isMultiple: Bool = false,
    isSearched: Bool = true,
    isVisible: Bool = true,
    isForOneself: Bool = true,
    reason: String? = nil
  ) async throws(DirectoryError) -> Field {
    try site.requireWritable("declare a field")
    var field = Field(usual: name, of: owner)
    if let kind { field.kind = kind }
    if let label { field.label = label }
    if isMultiple { field.isMultiple = true }
    (field.isSearched, field.isVisible, field.isForOneself) =
      (isSearched, isVisible, isForOneself)
    try await session.databaseEditor(reason: reason).addField(field)
    return field
  }

  /// Declares those fields that are not declared yet.
  func declareMissing(_ fields: [Field]) async throws(DirectoryError) {
    try site.requireWritable("declare a field")
    let editor = try await session.databaseEditor()
    let known = try await editor.declaredFields().map(\.field)
    for field in fields
    where !known.contains(where: { $0.name == field.name && $0.owner == field.owner }) {
      try await editor.addField(field)
    }
  }

  /// The declared fields in the database, each with the number of records that have values of it.
  package func declaredFields() async throws(DirectoryError) -> [(field: Field, valueCount: Int)] {
    try site.requireWritable("list declared fields")
    return try await session.databaseEditor().declaredFields()
  }

  /// Takes a declaration back, and its values with it.
  ///
  /// - Parameters:
  ///   - name: The field's.
  ///   - owner: Whose field it is.
  ///   - reason: The reason, recorded in the history.
  ///   - confirm: Told how many records will lose values; nothing is removed unless it agrees.
  /// - Returns: Whether it was removed.
  /// - Throws: `.notFound` where there is no such field, `.refusedForNow` where a visibility rule names it,
  ///   and what `confirm` throws.
  package func removeField(
    _ name: String,
    of owner: RecordKind,
    reason: String? = nil,
    confirm: (_ valueCount: Int) throws -> Bool
  ) async throws -> Bool {
    try site.requireWritable("remove a field")
    let editor = try await session.databaseEditor(reason: reason)
    let declared = try await editor.declaredFields()
    func isMeant(_ field: Field) -> Bool { field.name == name && field.owner == owner }
    guard let count = declared.first(where: { isMeant($0.field) })?.valueCount else {
      throw DirectoryError.noField(name, of: owner)
    }
    let rules = try await editor.visibilityRules()
    let fields = declared.map(\.field)
    let known = Set(rules.unknownFields(fields))
    // Without the field no one would be shown anything.
    if let rule = rules.unknownFields(fields.filter { !isMeant($0) })
      .first(where: { !known.contains($0) })
    {
      throw DirectoryError(
        .refusedForNow,
        "cannot remove the field \(name): visibility rule \(rule.place) names it: "
          + "\(rules.rules[rule.place - 1])",
        advice: "change or remove the rule first"
      )
    }
    guard try confirm(count) else { return false }
    try await editor.removeField(name, of: owner, expecting: count)
    return true
  }
}

extension Session {
  /// Changes what the database declares beside its records.
  func databaseEditor(reason: String? = nil) async throws(DirectoryError) -> DatabaseEditor {
    DatabaseEditor(
      conninfo: try await site.conninfo(),
      authorship: caller.authorship(reason: reason),
      access: site.access
    )
  }
}
