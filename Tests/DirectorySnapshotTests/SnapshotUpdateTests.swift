import DirectoryTestSupport
import TestSupport
import DirectoryModel
import Seeds
import SystemPackage
import Testing
import TextRules

@testable import DirectorySnapshot

@Suite("Bringing a snapshot up to date by changes")
struct SnapshotUpdateTests {
  struct History: Sendable, CustomStringConvertible {
    var size: Int
    var rounds: Int
    var changes: ClosedRange<Int>
    var locale: String
    var description: String { "\(rounds) × \(changes) changes at \(size), \(locale)" }
  }

  static let histories: [History] = [
    History(size: 0, rounds: rounds(50, thorough: 150), changes: 1...3, locale: "und"),
    History(size: 12, rounds: rounds(80, thorough: 250), changes: 1...4, locale: "C"),
    History(size: 60, rounds: rounds(50, thorough: 150), changes: 1...25, locale: "sv"),
    History(size: 400, rounds: rounds(10, thorough: 30), changes: 1...200, locale: "und"),
    History(size: 3_000, rounds: 4, changes: 1...60, locale: "de-u-co-phonebk"),
  ]

  @Test(arguments: histories)
  func `gives node for node what is built of the new state`(_ history: History) throws {
    let folder = try ScratchFolder()
    var random = SplitMix(seed: UInt64.random(in: .min ... .max))
    let seed = random.state
    var model = UpdateModel()
    model.change(history.size, using: &random)
    _ = try model.takeChanges(using: &random)
    let metadata = try metadata(locale: history.locale)
    try tree(model, history.locale, &random).write(to: folder.snapshot, metadata: metadata)
    for round in 0..<history.rounds {
      let context = "seed \(seed), round \(round)"
      let old = try DirectorySnapshot(path: folder.snapshot)
      let before = model
      model.change(Int.random(in: history.changes, using: &random), using: &random)
      let changes = try model.takeChanges(using: &random)
      let update = try SnapshotUpdate(of: old, changes: changes, locale: history.locale)
      let expected = model.changes(since: before)
      #expect(Set(update.summary.changes) == expected, "\(context)")
      let isSame =
        expected.isEmpty && model.fields == before.fields && model.identities == before.identities
      #expect(update.summary.isEmpty == isSame, "\(context)")
      for kind in RecordKind.allCases {
        let slice = slice(kind, of: model, &random)
        #expect(update.digest(of: slice) == model.digest(of: slice), "\(context), \(slice)")
      }
      let built = try tree(model, history.locale, &random)
      let comparison = try SnapshotComparison(of: old, with: built, metadata: metadata)
      #expect(comparison.summary.totals == update.summary.totals, "\(context)")
      #expect(comparison.summary.isEmpty == update.summary.isEmpty, "\(context)")
      #expect(Array(comparison.summary.changes) == Array(update.summary.changes), "\(context)")
      try update.write(to: folder.snapshot, metadata: metadata)
      let updated = try content(of: DirectorySnapshot(path: folder.snapshot))
      let rebuilt = try lines(of: built, metadata)
      try #require(updated == rebuilt, "\(context)")
    }
  }

  private func tree(
    _ model: UpdateModel,
    _ locale: String,
    _ random: inout SplitMix
  ) throws -> DirectoryTree {
    try TreeBuilder.build(model.records(using: &random), locale: locale)
  }

  private func lines(
    of tree: DirectoryTree,
    _ metadata: SnapshotMetadata
  ) throws -> [String] {
    let folder = try ScratchFolder()
    try tree.write(to: folder.snapshot, metadata: metadata)
    return try content(of: DirectorySnapshot(path: folder.snapshot))
  }

  private func metadata(locale: String) throws -> SnapshotMetadata {
    SnapshotMetadata(
      takenAt: 1,
      locale: locale,
      collationVersion: try Collator(locale: locale).version,
      source: "a test"
    )
  }

  /// A range between two ids, or from one on.
  private func slice(
    _ kind: RecordKind,
    of model: UpdateModel,
    _ random: inout SplitMix
  ) -> SourceSlice {
    let ids = (kind == .department ? Array(model.departments.keys) : Array(model.users.keys))
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let first = ids.indices.randomElement(using: &random) ?? 0
    let last = Int.random(in: first...ids.count, using: &random)
    return SourceSlice(
      kind: kind,
      first: ids.isEmpty ? "" : ids[first],
      last: last < ids.count ? ids[last] : nil,
      digest: RowDigest()
    )
  }
}
