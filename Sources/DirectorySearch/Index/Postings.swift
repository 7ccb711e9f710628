/// For each key the documents that have it, rising: all in one run, and where each key's begin.
struct Postings {
  /// One more than keys.
  private(set) var starts: [UInt32]
  private(set) var documents: [UInt32]

  /// Collects documents by key.
  ///
  /// - Parameters:
  ///   - keyCount: Keys are below it.
  ///   - documentCount: Documents are below it.
  ///   - keys: Calls its second argument with each key of a document, perhaps repeatedly; asked
  ///     twice for every document, rising.
  /// - Complexity: O(keys + documents + pairs).
  init(
    keyCount: Int,
    documentCount: Int,
    keys: (_ document: Int, _ body: (UInt32) -> Void) -> Void
  ) {
    var last = [UInt32](repeating: .max, count: keyCount)
    var next = [UInt32](repeating: 0, count: keyCount + 1)
    for document in 0..<documentCount {
      keys(document) { key in
        guard last[Int(key)] != UInt32(document) else { return }
        last[Int(key)] = UInt32(document)
        next[Int(key) + 1] += 1
      }
    }
    for key in 0..<keyCount { next[key + 1] += next[key] }
    starts = next
    var documents = [UInt32](repeating: 0, count: Int(next[keyCount]))
    for key in 0..<keyCount { last[key] = .max }
    for document in 0..<documentCount {
      keys(document) { key in
        guard last[Int(key)] != UInt32(document) else { return }
        last[Int(key)] = UInt32(document)
        documents[Int(next[Int(key)])] = UInt32(document)
        next[Int(key)] += 1
      }
    }
    self.documents = documents
  }
}
