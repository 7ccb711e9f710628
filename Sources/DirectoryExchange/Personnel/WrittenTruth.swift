/// Yes and no as lists have them.
enum WrittenTruth {
  /// `nil` for a text that is neither; an empty one is no.
  static func value(of text: [UInt8]) -> Bool? {
    if text.isEmpty { return false }
    let word = String(decoding: text, as: UTF8.self).lowercased()
    return yes.contains(word) ? true : no.contains(word) ? false : nil
  }

  private static let yes: Set<String> = [
    "true", "yes", "y", "x", "1", "ja", "j", "oui", "o", "sí", "si", "s", "是", "有", "はい", "○", "✓",
    "vrai", "wahr", "verdadero",
  ]
  private static let no: Set<String> = [
    "false", "no", "n", "0", "-", "nein", "non", "否", "无", "いいえ", "×", "faux", "falsch", "falso",
  ]
}
