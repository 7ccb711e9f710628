/// A person or a department that a query found.
package struct SearchHit: Sendable, Equatable {
  /// Position in the tree: the department, or the leaf that stands for the person.
  package let node: Int
  package let rank: SearchRank
}

/// How well a hit fits; smaller is better.
package enum SearchRank: Int, Sendable, Comparable, CaseIterable {
  /// The name is what was typed.
  case wholeName
  /// The name begins with it.
  case startOfName
  /// Every word is a word of the name or begins one.
  case startOfWord
  /// Every word is somewhere in the name.
  case insideName
  /// At least one word was found in another field.
  case otherField

  package static func < (left: SearchRank, right: SearchRank) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Ranks a hit by its name.
  ///
  /// - Parameters:
  ///   - name: Folded UTF-8.
  ///   - query: What was looked for.
  init(of name: [UInt8], for query: SearchQuery) {
    if name == query.phrase {
      self = .wholeName
    } else if name.starts(with: query.phrase) {
      self = .startOfName
    } else if query.words.allSatisfy({ Self.beginsWord($0, in: name) }) {
      self = .startOfWord
    } else if query.words.allSatisfy({ name.position(of: $0) != nil }) {
      self = .insideName
    } else {
      self = .otherField
    }
  }

  private static func beginsWord(_ word: [UInt8], in name: [UInt8]) -> Bool {
    var from = 0
    while let at = name.position(of: word, from: from) {
      if at == 0 || isSeparator(name[at - 1]) { return true }
      from = at + 1
    }
    return false
  }

  /// Blank, hyphen, apostrophe and the like: ASCII that is neither letter nor digit.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): false
    default: byte < 0x80
    }
  }
}
