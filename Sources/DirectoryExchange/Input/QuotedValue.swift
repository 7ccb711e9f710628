import TextRules

/// A value of somebody else's as a message shows it: in quotes, on one line, harmless and short.
enum QuotedValue {
  /// Columns of the value that are shown; an ellipsis stands for the rest.
  static let columns = 40
  /// Bytes that are looked at: many times what fits, since marks take no column.
  private static let bytes = 512

  /// A value from a reader, which is well-formed UTF-8.
  static func text(_ value: UnsafeRawBufferPointer) -> String {
    var count = min(value.count, bytes)
    while count > 0, count < value.count, value[count] & 0xC0 == 0x80 { count -= 1 }
    let beginning = UnsafeRawBufferPointer(rebasing: value[..<count])
    let visible = VisibleText.visible(String(decoding: beginning, as: UTF8.self))
    let shown = DisplayWidth.prefix(of: visible, columns: columns)
    let isWhole = count == value.count && shown.endIndex == visible.endIndex
    return "\"\(shown)\(isWhole ? "" : "…")\""
  }

  /// A path, whole but harmless.
  static func path(_ path: String) -> String { VisibleText.visible(path) }
}

extension QuotedValue {
  static func text(_ value: [UInt8]) -> String { value.withUnsafeBytes { text($0) } }

  /// A value that somebody gave as an option, or wrote into a file of settings.
  static func string(_ value: String) -> String {
    text(Array(value.utf8))
  }
}
