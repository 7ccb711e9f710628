import DirectorySnapshot

/// Telephone numbers by their last and by their first digits.
struct PhoneColumns: Sendable {
  private let suffixKeys: SnapshotColumn<UInt32>
  private let suffixDocuments: SnapshotColumn<UInt32>
  private let prefixKeys: SnapshotColumn<UInt32>
  private let prefixDocuments: SnapshotColumn<UInt32>

  init(_ file: SnapshotFile) throws(SnapshotError) {
    suffixKeys = try file.column(IndexSection.phoneSuffixKeys.rawValue, as: UInt32.self)
    suffixDocuments = try file.column(IndexSection.phoneSuffixDocuments.rawValue, as: UInt32.self)
    prefixKeys = try file.column(IndexSection.phonePrefixKeys.rawValue, as: UInt32.self)
    prefixDocuments = try file.column(IndexSection.phonePrefixDocuments.rawValue, as: UInt32.self)
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
  /// - Complexity: O(log numbers + found), and a look at those that share eight digits with more.
  func find(
    _ query: PhoneQuery,
    quality: (UInt32) throws(SnapshotError) -> MatchQuality?,
    _ body: (UInt32, MatchQuality) -> Void
  ) throws(SnapshotError) {
    var doubtful: [UInt32] = []
    func look(
      _ keys: SnapshotColumn<UInt32>,
      _ documents: SnapshotColumn<UInt32>,
      _ digits: [UInt8]
    ) throws(SnapshotError) {
      let range = try Self.range(of: PhoneKeys.range(first: digits), in: keys)
      for index in range {
        let document = try documents[index]
        if digits.count > PhoneKeys.digits {
          doubtful.append(document)
        } else {
          body(document, PhoneKeys.count(try keys[index]) == digits.count ? .whole : .start)
        }
      }
    }
    try look(suffixKeys, suffixDocuments, query.written.reversed())
    try look(prefixKeys, prefixDocuments, query.full)
    if query.written != query.full { try look(prefixKeys, prefixDocuments, query.written) }
    if query.isInternational, query.full.count > PhoneQuery.fewestNational {
      // The same number, stored without its country code, has the same last digits.
      let last = Array(query.full.reversed().prefix(PhoneQuery.fewestNational))
      let range = try Self.range(of: PhoneKeys.range(first: last), in: suffixKeys)
      for index in range { doubtful.append(try suffixDocuments[index]) }
    }
    for document in doubtful {
      if let quality = try quality(document) { body(document, quality) }
    }
  }

  private static func range(
    of keys: ClosedRange<UInt32>,
    in column: SnapshotColumn<UInt32>
  ) throws(SnapshotError) -> Range<Int> {
    func first(_ isPast: (UInt32) -> Bool, _ from: Int) throws(SnapshotError) -> Int {
      var low = from
      var high = column.count
      while low < high {
        let middle = (low + high) / 2
        if isPast(try column[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    let start = try first({ $0 >= keys.lowerBound }, 0)
    return start..<(try first({ $0 > keys.upperBound }, start))
  }
}
