import SystemPackage
import TestSupport

/// One query of the set in `Tests/Relevance`, and what must be found first.
struct RelevanceQuery: Sendable {
  let data: String
  let kind: String
  let text: String
  /// `user:ID` or `department:ID`; empty when nothing may be found.
  let expected: Set<String>

  static let dataSets = [
    "rust-team", "cn-divisions", "us-congress", "jp-councillors", "cldr-world",
  ]

  /// The queries over one data set.
  static func all(of data: String) throws -> [RelevanceQuery] {
    let folder = FilePath(#filePath).removingLastComponent().removingLastComponent()
    let file = folder.appending("Relevance").appending("\(data).tsv")
    let text = String(decoding: try readFile(file), as: UTF8.self)
    // By scalars: a mark at the start of a column would join the tab before it.
    return try text.unicodeScalars.split(separator: "\n").dropFirst().map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard columns.count == 5 else {
        throw TestSetupError("\(file): a line has \(columns.count) columns: \(String(line))")
      }
      return RelevanceQuery(
        data: columns[0],
        kind: columns[1],
        text: columns[2],
        expected: Set(columns[3] == "-" ? [] : columns[3].split(separator: " ").map(String.init))
      )
    }
  }

  /// How well an answer fits.
  ///
  /// - Parameter found: The hits, best first.
  /// - Returns: Full marks for nothing found where nothing may be.
  func score(_ found: [String]) -> RelevanceScore {
    if expected.isEmpty {
      let isRight = found.isEmpty ? 1.0 : 0
      return RelevanceScore(recall: isRight, reciprocalRank: isRight)
    }
    let hits = found.prefix(10).count { expected.contains($0) }
    let place = found.firstIndex { expected.contains($0) }
    return RelevanceScore(
      recall: Double(hits) / Double(expected.count),
      reciprocalRank: place.map { 1 / Double($0 + 1) } ?? 0
    )
  }
}

/// How many of the expected hits are among the first ten, and one by the place of the first of them.
struct RelevanceScore: Sendable {
  var recall: Double
  var reciprocalRank: Double

  var isFull: Bool { recall == 1 && reciprocalRank == 1 }
}

/// The mean of scores.
struct RelevanceMean: CustomStringConvertible {
  private(set) var count = 0
  private var recalls = 0.0
  private var reciprocalRanks = 0.0

  mutating func add(_ score: RelevanceScore) {
    count += 1
    recalls += score.recall
    reciprocalRanks += score.reciprocalRank
  }

  var recall: Double { recalls / Double(max(count, 1)) }
  var reciprocalRank: Double { reciprocalRanks / Double(max(count, 1)) }

  var description: String {
    "recall at 10 \(Self.text(recall)), reciprocal rank \(Self.text(reciprocalRank)), "
      + "\(count) queries"
  }

  /// With four decimals, cut: what is below a limit must not look as if it met it.
  private static func text(_ value: Double) -> String {
    let digits = String(Int(value * 10_000))
    let padded = String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits
    return "\(padded.dropLast(4)).\(padded.suffix(4))"
  }
}
