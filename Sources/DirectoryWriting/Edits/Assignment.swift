import DirectoryModel

/// What the user wants a field to be.
///
/// `FIELD=VALUE` sets it and `FIELD=` empties it; `FIELD+=VALUE` and `FIELD-=VALUE` add to several
/// values and take from them. `title@DEPARTMENT` is a field of a membership.
struct Assignment {
  enum Operation {
    case set, add, take
  }

  var field: String
  /// Behind `@`.
  var department: String?
  var operation: Operation
  var value: String

  init(_ text: String) throws(DirectoryError) {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign > text.startIndex else {
      throw DirectoryError(
        .usage,
        "cannot read \"\(text)\": it is not FIELD=VALUE",
        advice: "write for example phone='+49 30 1234'; an empty value removes the old one"
      )
    }
    var name = text[..<sign]
    operation = .set
    if name.utf8.last == UInt8(ascii: "+") { operation = .add }
    if name.utf8.last == UInt8(ascii: "-") { operation = .take }
    if operation != .set { name.removeLast() }
    value = String(text[text.utf8.index(after: sign)...])
    let parts = name.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    field = String(parts[0])
    department = parts.count > 1 ? String(parts[1]) : nil
  }
}

extension Assignment {
  /// Whether it is about what a record is called by, or where it is, and not about a value of it.
  var isOfIdentity: Bool { field == "id" || field == "parent" }

  /// `yes` or `no`, also as the rest of the world writes them.
  func flag() throws(DirectoryError) -> String {
    switch value.lowercased() {
    case "yes", "true", "y", "1": return "true"
    case "no", "false", "n", "0", "": return "false"
    default:
      throw DirectoryError(.usage, "cannot set \(field): \"\(value)\" is neither yes nor no")
    }
  }

  /// A whole number.
  func number() throws(DirectoryError) -> String {
    guard let number = Int64(value.isEmpty ? "0" : value) else {
      throw DirectoryError(.usage, "cannot set \(field): \"\(value)\" is not a whole number")
    }
    return String(number)
  }

  /// Several values, as cells of files have them.
  var list: [String] {
    FieldList.values(of: value.utf8).map { String(decoding: $0, as: UTF8.self) }
  }

  func requirePlainSet() throws(DirectoryError) {
    guard operation != .set else { return }
    throw DirectoryError(
      .usage,
      "cannot add to \(field) or take from it: it has one value",
      advice: "write \(field)=VALUE"
    )
  }
}
