import DirectoryModel

/// The ids of people by name or by mail address, for fields that name people so.
///
/// It holds every person of the files in memory, and is made only where a list needs it.
struct PeopleIndex {
  private enum Entry {
    case one([UInt8])
    case several
  }

  /// What a text finds.
  enum Result: Equatable {
    case id([UInt8])
    case none, several
  }

  private var found: [[UInt8]: Entry] = [:]

  mutating func add(_ text: [UInt8], id: [UInt8]) {
    let key = Self.key(text)
    guard !key.isEmpty, !id.isEmpty else { return }
    switch found[key] {
    case nil: found[key] = .one(id)
    case .one(let other) where other != id: found[key] = .several
    default: break
    }
  }

  /// Looks for a text as it stands, then as `First Last` for `Last, First`, then both without what
  /// stands in brackets behind it, such as a number.
  func look(for text: [UInt8]) -> Result {
    let bare = Self.withoutBrackets(text)
    for form in [text, Self.turned(text), bare, bare.flatMap(Self.turned)] {
      guard let form else { continue }
      switch found[Self.key(form)] {
      case .one(let id): return .id(id)
      case .several: return .several
      case nil: continue
      }
    }
    return .none
  }

  private static func key(_ text: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    let lowered =
      text.allSatisfy { $0 < 0x80 }
      ? text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      : Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
    lowered.withUnsafeBytes { _ = CellText.append($0, to: &key) }
    return key
  }

  private static func turned(_ text: [UInt8]) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    return parts.count == 2 ? parts[1] + [0x20] + parts[0] : nil
  }

  private static func withoutBrackets(_ text: [UInt8]) -> [UInt8]? {
    guard text.last == UInt8(ascii: ")"), let open = text.lastIndex(of: UInt8(ascii: "(")), open > 0
    else { return nil }
    return Array(text[..<open])
  }
}
