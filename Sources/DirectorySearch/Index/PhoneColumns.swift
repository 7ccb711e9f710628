import DirectorySnapshot
import Platform

/// Telephone numbers by their last and by their first digits.
struct PhoneColumns: Sendable {
  private let suffixKeys: SnapshotColumn<UInt32>
  private let suffixDocuments: SnapshotColumn<UInt32>
  private let prefixKeys: SnapshotColumn<UInt32>
  private let prefixDocuments: SnapshotColumn<UInt32>

  /// - Parameters:
  ///   - file: An index, or its changes.
  ///   - first: The first of the four sections.
  /// - Throws: `SnapshotError.damaged`.
  init(_ file: SnapshotFile, _ first: IndexSection) throws(SnapshotError) {
    suffixKeys = try file.column(first.rawValue, as: UInt32.self)
    suffixDocuments = try file.column(first.rawValue + 1, as: UInt32.self)
    prefixKeys = try file.column(first.rawValue + 2, as: UInt32.self)
    prefixDocuments = try file.column(first.rawValue + 3, as: UInt32.self)
    guard suffixKeys.count == suffixDocuments.count, prefixKeys.count == prefixDocuments.count
    else { throw suffixKeys.damaged }
  }

  /// Calls `body` with each document whose number the digits find, perhaps repeatedly.
  ///
  /// - Parameters:
  ///   - query: What is looked for.
  ///   - quality: How a document's own number is found by it; asked where keys do not tell.
  ///   - body: Gets documents, of which nothing is known but that they are stored.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(log numbers + found), and a look at those whose eight digits leave a doubt.
  func find(
    _ query: PhoneQuery,
    quality: (UInt32) throws(SnapshotError) -> MatchQuality?,
    _ body: (UInt32, MatchQuality) -> Void
  ) throws(SnapshotError) {
    var doubtful: [UInt32] = []
    if query.isExtension {
      doubtful += try ending(with: query.written) { document, quality in
        // Two digits alone end too many numbers.
        let isEnough = quality == .whole || query.written.count >= PhoneQuery.fewestInside
        if isEnough { body(document, quality) }
      }
    } else {
      doubtful += try ending(with: query.written, body)
      doubtful += try beginning(with: query.full, body)
    }
    if query.written != query.full {
      if query.full.count > PhoneKeys.digits {
        doubtful += try ending(with: query.full) { _, _ in }
      }
      doubtful += try beginning(with: query.written, body)
    }
    for full in query.abroad {
      doubtful += try beginning(with: full, body)
      if !full.ends(with: Array(query.written.suffix(PhoneKeys.digits))) {
        doubtful += try ending(with: full) { _, _ in }
      }
    }
    if query.isInternational, query.full.count > PhoneQuery.fewestNational {
      // The same number, stored without its country code of up to three digits, has the same last
      // ones.
      let count = min(max(query.full.count - 3, PhoneQuery.fewestNational), PhoneKeys.digits)
      let last = query.full.suffix(count).reversed()
      let range = try Self.range(of: PhoneKeys.range(first: last), in: suffixKeys)
      try suffixDocuments.withElements(in: range) { doubtful.append(contentsOf: $0) }
    }
    doubtful.sort()
    var last: UInt32?
    for document in doubtful where document != last {
      last = document
      if let quality = try quality(document) { body(document, quality) }
    }
  }

  /// Calls `body` with each document whose number holds the digits anywhere, perhaps repeatedly.
  ///
  /// Keys have the first and the last eight digits of a number, so that of one with up to 13 each
  /// four digits side by side are in a key.
  ///
  /// - Parameters:
  ///   - digits: Three or more.
  ///   - patience: Where it is over, looking ends, and what is found is not all.
  ///   - holds: Whether a document's own number holds them; asked where keys do not tell.
  ///   - body: Gets documents, of which nothing is known but that they are stored.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(numbers), some nanoseconds each.
  func find(
    inside digits: [UInt8],
    _ patience: SearchDeadline,
    holds: (UInt32) throws(SnapshotError) -> Bool,
    _ body: (UInt32) -> Void
  ) throws(SnapshotError) {
    let run = Array(digits.prefix(DigitSequence.longest))
    var doubtful: [UInt32] = []
    for (keys, documents, run) in [
      (prefixKeys, prefixDocuments, DigitSequence(run)),
      (suffixKeys, suffixDocuments, DigitSequence(run.reversed())),
    ] {
      let result = try keys.withElements(in: 0..<keys.count) { keys in
        Result { () throws(SnapshotError) in
          try documents.withElements(in: 0..<documents.count) { documents in
            for start in stride(from: 0, to: keys.count, by: Self.manyNumbers) {
              if patience.isOver { return }
              let part = start..<min(start + Self.manyNumbers, keys.count)
              for (key, document) in zip(keys[part], documents[part]) {
                if PhoneKeys.count(key) > Self.mostCovered {
                  doubtful.append(document)
                } else if run.isHeld(by: key) {
                  if digits.count <= DigitSequence.longest {
                    body(document)
                  } else {
                    doubtful.append(document)
                  }
                }
              }
            }
          }
        }
      }
      try result.get()
    }
    doubtful.sort()
    var last: UInt32?
    for (place, document) in doubtful.enumerated() where document != last {
      if place % 1_024 == 0, patience.isOver { return }
      last = document
      if try holds(document) { body(document) }
    }
  }

  /// So many are looked at in less than a millisecond.
  private static let manyNumbers = 1 << 16

  /// Of longer numbers some digits in the middle are in no key.
  private static let mostCovered = 13

  /// - Returns: The documents whose numbers end with the first eight of more digits.
  private func ending(
    with digits: [UInt8],
    _ body: (UInt32, MatchQuality) -> Void
  ) throws(SnapshotError) -> [UInt32] {
    try look(suffixKeys, suffixDocuments, digits.reversed(), body) { _ in true }
  }

  /// All of a company's numbers may begin with the same eight digits, so that those of one length
  /// are told apart by their last ones: a number of ten digits that is another one's or its own
  /// with another prefix for dialling, which has at most two, ends with the same eight.
  private func beginning(
    with digits: [UInt8],
    _ body: (UInt32, MatchQuality) -> Void
  ) throws(SnapshotError) -> [UInt32] {
    try look(prefixKeys, prefixDocuments, digits, body) { count in
      count >= PhoneKeys.most || count > digits.count
        || count == digits.count && count < PhoneKeys.digits + 2
    }
  }

  /// Calls `body` where keys tell.
  ///
  /// - Returns: The documents with keys that do not, and may belong to a longer number.
  private func look(
    _ keys: SnapshotColumn<UInt32>,
    _ documents: SnapshotColumn<UInt32>,
    _ digits: [UInt8],
    _ body: (UInt32, MatchQuality) -> Void,
    isDoubtful: (_ count: Int) -> Bool
  ) throws(SnapshotError) -> [UInt32] {
    let range = try Self.range(of: PhoneKeys.range(first: digits), in: keys)
    var doubtful: [UInt32] = []
    let result = try keys.withElements(in: range) { keys in
      Result { () throws(SnapshotError) in
        try documents.withElements(in: range) { documents in
          for (key, document) in zip(keys, documents) {
            let count = PhoneKeys.count(key)
            if digits.count <= PhoneKeys.digits {
              body(document, count == digits.count ? .whole : .start)
            } else if isDoubtful(count) {
              doubtful.append(document)
            }
          }
        }
      }
    }
    try result.get()
    return doubtful
  }

  private static func range(
    of keys: ClosedRange<UInt32>,
    in column: SnapshotColumn<UInt32>
  ) throws(SnapshotError) -> Range<Int> {
    let start = try (0..<column.count).partitionPoint { (row) throws(SnapshotError) in
      try column[row] < keys.lowerBound
    }
    let end = try (start..<column.count).partitionPoint { (row) throws(SnapshotError) in
      try column[row] <= keys.upperBound
    }
    return start..<end
  }
}
