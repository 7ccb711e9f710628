import DirectorySnapshot
import OutlineEngine
import Platform
import TextRules

/// An index's file as `SearchIndexBuilder` wrote it, and what its header says.
struct IndexBase: Sendable {
  let file: SnapshotFile
  /// The checksum of the snapshot that it was made of.
  let snapshot: UInt64
  let rules: DialingPlan
  let documentCount: Int
  let filterRows: Int

  /// `nil` where it was made by other rules.
  init?(_ file: SnapshotFile, _ wanted: DialingPlan?) throws(SnapshotError) {
    let header = try file.column(IndexSection.header.rawValue, as: UInt64.self).verified()
    let text = try file.column(IndexSection.phoneRules.rawValue, as: UInt8.self).verified()
    guard header.count == 4, header[2] < UInt64(Int32.max), header[3] <= UInt64(Int32.max) else {
      throw file.damaged(IndexSection.header.rawValue)
    }
    guard header[1] == ReadingTable.version, let rules = DialingPlan(text: Array(text)),
      rules == wanted ?? rules
    else { return nil }
    self.file = file
    snapshot = header[0]
    self.rules = rules
    documentCount = Int(header[2])
    filterRows = Int(header[3])
  }

  /// The length of each document's name in characters: rising with the documents.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func lengths() throws(SnapshotError) -> LengthGroups {
    let lengths = try file.column(IndexSection.nameLengths.rawValue, as: UInt32.self).verified()
    let starts = try file.column(IndexSection.lengthStarts.rawValue, as: UInt32.self).verified()
    guard let runs = LengthGroups(Array(lengths), Array(starts), documentCount: documentCount)
    else {
      throw file.damaged(IndexSection.nameLengths.rawValue)
    }
    return runs
  }
}

/// The lengths of names of documents that are sorted by them: for each length its first document.
struct LengthGroups {
  private(set) var lengths: [UInt32] = []
  private(set) var starts: [UInt32] = []
  private var documentCount = 0

  init() {}

  /// `nil` unless both rise and begin with the first document.
  init?(_ lengths: [UInt32], _ starts: [UInt32], documentCount: Int) {
    guard lengths.count == starts.count, lengths.isEmpty == (documentCount == 0),
      starts.first ?? 0 == 0, Int(starts.last ?? 0) <= documentCount,
      zip(lengths, lengths.dropFirst()).allSatisfy(<), zip(starts, starts.dropFirst()).allSatisfy(<)
    else { return nil }
    self.lengths = lengths
    self.starts = starts
    self.documentCount = documentCount
  }

  /// Adds the next document, which has no shorter a name.
  mutating func append(_ length: UInt32) {
    if lengths.last != length {
      lengths.append(length)
      starts.append(UInt32(documentCount))
    }
    documentCount += 1
  }

  /// - Complexity: O(log lengths).
  func length(of document: Int) -> UInt32 {
    lengths[starts.indices.partitionPoint { Int(starts[$0]) <= document } - 1]
  }

  /// Calls `body` with each length and its documents, rising.
  func forEachRun(_ body: (_ length: UInt32, _ documents: Range<Int>) -> Void) {
    for index in lengths.indices {
      let end = index + 1 < starts.count ? Int(starts[index + 1]) : documentCount
      body(lengths[index], Int(starts[index])..<end)
    }
  }
}
