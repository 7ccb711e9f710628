import DirectoryModel
import DirectorySnapshot
import TextRules

/// The addresses and numbers by which people who are in no list are found: one table for each class of
/// viewers, made when the first of them asks for an address or a number.
struct UnlistedPeople: Sendable {
  /// What finds somebody: the whole of an address, or the digits of a number, however they are grouped.
  private enum Key: Hashable {
    case address(MailAddress)
    case digits([UInt8])

    private static let fewestDigits = 6

    /// `nil` for anything else: a name, a part of an address, a short number.
    init?(_ text: String) {
      if text.utf8.contains(UInt8(ascii: "@")) {
        guard !text.contains(where: \.isWhitespace), let address = MailAddress(text) else {
          return nil
        }
        self = .address(address)
        return
      }
      let digits = text.utf8.filter { (0x30...0x39).contains($0) }
      guard digits.count >= Self.fewestDigits, !text.contains(where: \.isLetter) else { return nil }
      self = .digits(digits)
    }
  }

  /// A key of a person; what is hidden of the person is an index of `hidden`.
  private struct Entry {
    var hash: Int
    var row: Int32
    var hidden: Int32
  }

  /// By hash.
  private var entries: [Entry] = []
  private var hidden: [HiddenFields] = []
  private let whole: DirectoryState
  /// Declared fields that hold addresses and numbers.
  private let declared: [Field]

  /// - Parameters:
  ///   - whole: All of the state.
  ///   - sight: What the class sees of it.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(people whom the sight has unlisted), of which each takes 16 bytes for a key.
  init(_ whole: DirectoryState, _ sight: Sight) throws(SnapshotError) {
    self.whole = whole
    declared = whole.fields.declared.of(.user).filter { $0.kind == .email || $0.kind == .phone }
    var sets: [HiddenFields: Int32] = [:]
    var (entries, hidden): ([Entry], [HiddenFields]) = ([], [])
    try whole.snapshot.forEachUnlisted(by: sight) { (row, fields) throws(SnapshotError) in
      let set = sets[fields] ?? Int32(truncatingIfNeeded: hidden.count)
      if set == hidden.count {
        sets[fields] = set
        hidden.append(fields)
      }
      for key in try keys(of: row, without: fields) {
        entries.append(
          Entry(hash: key.hashValue, row: Int32(truncatingIfNeeded: row), hidden: set)
        )
      }
    }
    (self.entries, self.hidden) = (entries.sorted { $0.hash < $1.hash }, hidden)
  }

  private func keys(of row: Int, without hidden: HiddenFields) throws(SnapshotError) -> Set<Key> {
    var texts: [String] = []
    for field in Field.contacts where !hidden.contains(.contact(field)) {
      texts.append(try whole.contacts[field][row])
    }
    let values = declared.isEmpty ? nil : try whole.fields.values(ofUser: row).values
    for field in declared where !hidden.names.contains(field.name) {
      texts += values?[field.name]?.texts ?? []
    }
    return Set(texts.compactMap { Key($0) })
  }

  /// Whether a text is a whole address or number.
  static func isKey(_ text: String) -> Bool { Key(text) != nil }

  /// Whether a text is the address or number that another one is.
  static func isSame(_ text: String, as other: String) -> Bool {
    Key(text).map { $0 == Key(other) } ?? false
  }

  /// The one person with this address or number; `nil` for no one, and for several.
  ///
  /// - Complexity: O(log keys).
  func holder(of text: String) throws(SnapshotError) -> (row: Int, hidden: HiddenFields)? {
    guard let key = Key(text) else { return nil }
    let hash = key.hashValue
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    var found: (row: Int, hidden: HiddenFields)?
    for entry in entries[low...].prefix(while: { $0.hash == hash }) {
      let hidden = hidden[Int(entry.hidden)]
      // Others may have the same hash.
      guard try keys(of: Int(entry.row), without: hidden).contains(key) else { continue }
      if found != nil { return nil }
      found = (Int(entry.row), hidden)
    }
    return found
  }
}
