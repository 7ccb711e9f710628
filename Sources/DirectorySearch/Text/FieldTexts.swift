import TextRules

/// A text as a search looks into it.
///
/// Buffers are kept from one text to the next, so that nothing is allocated for most of them.
struct FieldTexts {
  /// The folded text.
  private(set) var folded: [UInt8] = []
  /// The folded text without the blanks between characters of scripts that are written without
  /// them, for `佐々木り` in `佐々木 りさ`; empty where there are none.
  private(set) var joined: [UInt8] = []
  /// The form of the text that its other spellings share; empty where it is the folded text.
  private(set) var variant: [UInt8] = []
  private var units = ReadingUnits()
  private var hasReadings = false

  /// Takes a text that is only looked at letter for letter: an address or an id.
  ///
  /// - Complexity: O(n).
  mutating func take(_ text: UnsafeRawBufferPointer) {
    folded.removeAll(keepingCapacity: true)
    joined.removeAll(keepingCapacity: true)
    variant.removeAll(keepingCapacity: true)
    hasReadings = false
    Folding.appendFolded(text, to: &folded)
  }

  /// Takes a text with everything by which it may be found: a name or a title.
  ///
  /// - Complexity: O(n).
  mutating func take(_ text: UnsafeRawBufferPointer, of owner: ReadingUnits.Owner) {
    take(text)
    guard folded.contains(where: { $0 >= 0x80 }) || text.contains(where: { $0 >= 0x80 }) else {
      return
    }
    if Self.holdsBlankToJoin(folded) { join() }
    if let form = TextVariant.form(of: text, folded: folded) { variant = form }
    hasReadings = units.set(to: text, of: owner)
  }

  /// How the text is read in Latin letters; empty where it is not.
  var readings: [Reading] { hasReadings ? units.readings : [] }

  private static func holdsBlankToJoin(_ text: [UInt8]) -> Bool {
    text.indices.contains { text[$0] == 0x20 && joins(text, $0) }
  }

  /// Whether the blank at an offset stands between two characters of such scripts.
  private static func joins(_ text: [UInt8], _ blank: Int) -> Bool {
    blank >= 3 && blank + 3 < text.count && text[blank + 1] >= firstLead && text[blank + 1] < 0xF0
      && text[blank - 3] >= firstLead && text[blank - 3] < 0xF0
  }

  /// The first byte of U+3000 and what follows: kana, Han, Hangul.
  private static let firstLead: UInt8 = 0xE3

  private mutating func join() {
    for index in folded.indices where folded[index] != 0x20 || !Self.joins(folded, index) {
      joined.append(folded[index])
    }
  }
}
