import DirectoryModel
import DirectoryStore
import TextRules

/// Ids for records that come without one: the name in Latin letters, and a number where it is taken.
///
///     Zoë Fernlicht       zoe.fernlicht, then zoe.fernlicht2
///     Fog Signals         fog-signals
enum NewID {
  /// Letters and digits of the name, words parted by a sign; the kind where the name has none.
  static func base(_ name: String, of kind: RecordKind) -> String {
    let words = latinWords(name) ?? readWords(name, kind)
    let sign = kind == .user ? "." : "-"
    // Room for a number, and nothing that needs more than a line.
    let id = String(words.joined(separator: sign).prefix(64))
    return id.isEmpty ? kind.rawValue : id
  }

  /// The words without case and accents; `nil` where a letter is not Latin.
  private static func latinWords(_ name: String) -> [String]? {
    let folded = Folding.fold(name)
    guard !folded.unicodeScalars.contains(where: { !$0.isASCII && $0.properties.isAlphabetic })
    else { return nil }
    return folded.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map(String.init)
  }

  private static func readWords(_ name: String, _ kind: RecordKind) -> [String] {
    let readings = ReadingUnits(name, of: kind == .user ? .person : .other).readings
    return readings.split(separator: ReadingTable.border).map { word in
      var letters: [UInt8] = []
      for reading in word { ReadingTable.appendMainSpelling(of: reading, to: &letters) }
      return String(decoding: letters, as: UTF8.self).filter {
        $0.isASCII && ($0.isLetter || $0.isNumber)
      }
    }.filter { !$0.isEmpty }
  }

  /// An id that nobody has, here or in the database.
  static func make(
    for name: String,
    of kind: RecordKind,
    _ editor: DirectoryEditor,
    isTaken: (String) -> Bool
  ) async throws(DirectoryError) -> String {
    let base = base(name, of: kind)
    var first = 1
    while true {
      let candidates = (first..<(first + 50)).map { $0 == 1 ? base : "\(base)\($0)" }
      let taken = try await editor.taken(candidates, by: kind)
      if let free = candidates.first(where: { !taken.contains(ItemText($0)) && !isTaken($0) }) {
        return free
      }
      first += 50
    }
  }
}
