import DirectoryModel
import DirectoryTestSupport
import SystemPackage
import TestSupport
import Testing
import TextRules

@testable import DirectorySnapshot

@Suite("Visibility rules in a snapshot")
struct StoredRulesTests {
  private static let rules = VisibilityRules(
    [
      VisibilityRule(
        id: 9,
        .hide,
        fields: ["office"],
        .department(DepartmentID("a b")),
        .group("g"),
        targetIdentity: RecordIdentity("of a b")
      ),
      VisibilityRule(id: 2, .unlist, .person(UserID("u\u{301}")), .device("\"\n")),
      VisibilityRule(
        id: 3,
        .show,
        .everything,
        .person(UserID("u1")),
        viewerIdentity: RecordIdentity("of u1")
      ), .base,
    ],
    groups: ["g": [UserID("u1"), UserID("")], "h": []],
    memberIdentities: ["g": [UserID("u1"): RecordIdentity("of u1")]]
  )

  private func fixture(_ rules: VisibilityRules?) throws -> Fixture {
    var fixture = Fixture()
    try fixture.department("a")
    try fixture.user("u1", in: "a")
    fixture.records.visibility = rules
    return fixture
  }

  @Test func `are read as they were written; what was not told shows nothing`() throws {
    let folder = try ScratchFolder()
    for rules in [Self.rules, VisibilityRules(), VisibilityRules([], isUnderstood: false)] {
      try fixture(rules).tree().write(to: folder.snapshot, metadata: anyMetadata)
      #expect(try DirectorySnapshot(path: folder.snapshot).visibilityRules() == rules)
    }
    try fixture(nil).tree().write(to: folder.snapshot, metadata: anyMetadata)
    let untold = try DirectorySnapshot(path: folder.snapshot).visibilityRules()
    #expect(untold.rules.isEmpty && !untold.isUnderstood)
  }

  @Test func `alone are another state, and are kept if no others are given`() throws {
    let folder = try ScratchFolder()
    let metadata = SnapshotMetadata(
      takenAt: 1_700_000_000,
      locale: "und",
      collationVersion: try Collator(locale: "und").version,
      source: "a test"
    )
    try fixture(Self.rules).tree().write(to: folder.snapshot, metadata: metadata)
    let stored = try DirectorySnapshot(path: folder.snapshot)
    for rules in [nil, Self.rules, VisibilityRules()] {
      var changes = DirectoryChanges()
      changes.records.fields = try stored.fields().declared
      changes.records.visibility = rules
      let update = try SnapshotUpdate(of: stored, changes: changes, locale: metadata.locale)
      #expect(update.summary.isEmpty == (rules != VisibilityRules()))
      #expect(update.summary.hasOtherRules == (rules == VisibilityRules()))
      let updated = try update.scratch(metadata: metadata, path: folder.snapshot)
      #expect(try updated.visibilityRules() == rules ?? Self.rules)
      guard let rules else { continue }
      let comparison = try SnapshotComparison(
        of: stored,
        with: fixture(rules).tree(),
        metadata: metadata
      )
      #expect(comparison.summary.hasOtherRules == (rules == VisibilityRules()))
    }
  }

  @Test func `of a later program are not understood, and damaged ones are damaged`() throws {
    let folder = try ScratchFolder()
    func read(_ strings: [String]) throws -> VisibilityRules? {
      var writer = try SnapshotFileWriter(scratchFor: folder.snapshot, sectionCount: 2)
      try writer.add(strings, .visibilityText, .visibilityEnds)
      return try VisibilityDeclarations.read(writer.mapped())
    }
    let sound = VisibilityDeclarations.encode(Self.rules)
    #expect(try read(sound) == Self.rules)
    #expect(try read([]) == nil)
    var later = sound
    later[3] = "blur everything for everybody"
    let unknown = try read(later)
    #expect(unknown?.isUnderstood == false && unknown?.rules.count == 3)
    for strings in [
      ["1"], ["1", "x"], ["1", "-1"], ["1", "2", "1", "\(VisibilityRule.base)"],
      ["1", "1", "x", "\(VisibilityRule.base)"], ["1", "0", "g"], ["1", "0", "g", "2", "u"],
      ["1", "99999999999999999999"], ["understood", "1", "1", "\(VisibilityRule.base)", ""],
      ["understood", "0", "g", "1", "u"],
    ] {
      #expect(throws: SnapshotError.self, "\(strings)") { try read(strings) }
    }
  }

  @Test func `of the format before have no identities`() throws {
    let folder = try ScratchFolder()
    func read(_ strings: [String]) throws -> VisibilityRules? {
      var writer = try SnapshotFileWriter(scratchFor: folder.snapshot, sectionCount: 2)
      try writer.add(strings, .visibilityText, .visibilityEnds)
      return try VisibilityDeclarations.read(writer.mapped())
    }
    let base = VisibilityRule(id: 7, .show, .everything, .everybody)
    let groups = ["g": [UserID("u1"), UserID("u2")] as Set]
    #expect(
      try read(["1", "1", "7", "\(base)", "g", "2", "u1", "u2"])
        == VisibilityRules([base], groups: groups)
    )
    #expect(try read(["0", "0"]) == VisibilityRules([], isUnderstood: false))
  }
}
