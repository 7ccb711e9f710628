/// For each key the documents that have it, rising: all in one run, and where each key's begin.
struct Postings {
  /// One more than keys.
  private(set) var starts: [UInt32]
  private(set) var documents: [UInt32]

  /// Collects documents by key.
  ///
  /// - Parameters:
  ///   - keyCount: Keys are below it.
  ///   - texts: The texts of each document.
  ///   - keys: The keys of each text.
  /// - Complexity: O(keys + documents + pairs).
  init(keyCount: Int, _ texts: NumberLists, _ keys: NumberLists) {
    var last = [UInt32](repeating: .max, count: keyCount)
    var next = [UInt32](repeating: 0, count: keyCount + 1)
    Self.forEachKey(texts, keys) { document, key in
      guard last[key] != document else { return }
      last[key] = document
      next[key + 1] += 1
    }
    for key in 0..<keyCount { next[key + 1] += next[key] }
    starts = next
    var documents = [UInt32](repeating: 0, count: Int(next[keyCount]))
    for key in 0..<keyCount { last[key] = .max }
    Self.forEachKey(texts, keys) { document, key in
      guard last[key] != document else { return }
      last[key] = document
      documents[Int(next[key])] = document
      next[key] += 1
    }
    self.documents = documents
  }

  @inline(__always)
  private static func forEachKey(
    _ texts: NumberLists,
    _ keys: NumberLists,
    _ body: (_ document: UInt32, _ key: Int) -> Void
  ) {
    for document in 0..<texts.count {
      for text in texts.range(of: document) {
        for key in keys.range(of: Int(texts.elements[text])) {
          body(UInt32(document), Int(keys.elements[key]))
        }
      }
    }
  }
}

/// Several numbers for each of many, all side by side.
struct NumberLists: Sendable {
  /// One more than there are runs.
  private(set) var starts: [UInt32] = [0]
  private(set) var elements: [UInt32] = []

  init() {}

  /// One number for each, or none where it is `none`.
  init(_ numbers: [UInt32], none: UInt32) {
    starts.reserveCapacity(numbers.count + 1)
    elements.reserveCapacity(numbers.count)
    for number in numbers {
      if number != none { elements.append(number) }
      endRun()
    }
  }

  var count: Int { starts.count - 1 }

  @inline(__always)
  func range(of run: Int) -> Range<Int> { Int(starts[run])..<Int(starts[run + 1]) }

  mutating func reserveCapacity(_ count: Int) {
    starts.reserveCapacity(count + 1)
    elements.reserveCapacity(count)
  }

  mutating func append(_ number: UInt32) { elements.append(number) }
  mutating func endRun() { starts.append(UInt32(elements.count)) }

  /// The same runs of other numbers.
  func mapElements(_ change: (UInt32) -> UInt32) -> NumberLists {
    var runs = self
    runs.elements = elements.map(change)
    return runs
  }

  /// Some of the runs, in another order.
  func runs(at numbers: some Collection<UInt32>) -> NumberLists {
    var runs = NumberLists()
    runs.reserveCapacity(numbers.count)
    for number in numbers {
      for index in range(of: Int(number)) { runs.append(elements[index]) }
      runs.endRun()
    }
    return runs
  }
}
