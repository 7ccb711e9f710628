import DirectorySearch

/// Reads what somebody typed.
enum QueryReading {
  @Sendable
  static func seeds() -> [[UInt8]] {
    ["", "lens", "\"Lens Lab\"", "name:Åsa -title:head", "張 偉*", "a\u{301} \u{200D}"].map {
      Array($0.utf8)
    }
  }

  @Sendable
  static func read(_ input: UnsafeRawBufferPointer) {
    _ = SearchQuery(String(decoding: input, as: UTF8.self)).isEmpty
  }
}
