import TestSupport
import DirectoryModel
import OutlineEngine
import SystemPackage
import Testing
import TextRules

@testable import DirectorySnapshot

@Suite("Preparing a tree while its records arrive")
struct TreePreparationTests {
  /// Rows of a table in pieces of random size, and the whole table at the end.
  private func deliver(
    _ all: DirectoryRecords,
    to observer: TreePreparation,
    _ random: inout SplitMix
  ) throws -> DirectoryRecords {
    var records = DirectoryRecords()
    records.fields = all.fields
    var pause = 0
    func arrived() {
      pause -= 1
      guard pause <= 0 else { return }
      observer.rowsArrived(records)
      pause = Int.random(in: 1...40, using: &random)
    }
    for row in 0..<all.departments.count {
      try records.departments.append(all.departments[row])
      arrived()
    }
    for row in 0..<all.users.count {
      try records.users.append(all.users[row])
      arrived()
    }
    for row in 0..<all.memberships.count {
      try records.memberships.append(all.memberships[row])
      arrived()
    }
    return records
  }

  private func lines(_ tree: DirectoryTree) throws -> [String] {
    let folder = try ScratchFolder()
    return try content(of: reopened(tree, in: folder))
  }

  @Test(arguments: [0, 1, 30, 2_000])
  func `gives the tree that is built of all at once`(_ size: Int) throws {
    var random = SplitMix(seed: UInt64.random(in: .min ... .max))
    let seed = random.state
    var model = UpdateModel()
    model.change(size, using: &random)
    let all = try model.records(using: &random)
    let preparation = TreePreparation(locale: "und")
    let records = try deliver(all, to: preparation, &random)
    let prepared = try TreeBuilder.build(records, preparation)
    let whole = try TreeBuilder.build(all, locale: "und")
    #expect(try lines(prepared) == lines(whole), "seed \(seed)")
  }

  @Test func `finds what is unknown, and what is there twice, wherever the pieces end`() throws {
    var fixture = Fixture()
    try fixture.department("root")
    try fixture.department("lost", under: "nowhere")
    for index in 0..<60 {
      try fixture.department("d\(index % 50)", under: index == 0 ? "lost" : "d\(index / 2)")
    }
    for index in 0..<90 { try fixture.user("u\(index % 80)", in: "d\(index % 55)") }
    for index in 0..<20 { try fixture.member("x\(index)", of: "d\(index * 3)") }
    let whole = try lines(fixture.tree())
    for _ in 0..<10 {
      var random = SplitMix(seed: UInt64.random(in: .min ... .max))
      let preparation = TreePreparation(locale: "und")
      let records = try deliver(fixture.records, to: preparation, &random)
      #expect(try lines(TreeBuilder.build(records, preparation)) == whole)
    }
  }

  @Test func `a read that begins anew forgets what arrived before`() throws {
    var random = SplitMix(seed: 7)
    var other = Fixture()
    try other.department("b")
    try other.department("a", under: "b")
    try other.user("z", in: "a")
    var fixture = Fixture()
    try fixture.department("a")
    try fixture.user("u", in: "a")
    let preparation = TreePreparation(locale: "und")
    _ = try deliver(other.records, to: preparation, &random)
    preparation.readBegins()
    let records = try deliver(fixture.records, to: preparation, &random)
    #expect(try lines(TreeBuilder.build(records, preparation)) == lines(fixture.tree()))
  }

  @Test func `an unknown locale is an error at the end`() throws {
    let preparation = TreePreparation(locale: "xx-nowhere")
    preparation.rowsArrived(DirectoryRecords())
    #expect(throws: DirectoryError.self) {
      try TreeBuilder.build(DirectoryRecords(), preparation)
    }
  }
}

@Suite("The order of siblings")
struct SiblingOrderTests {
  /// Names that only a whole comparison tells apart, in scripts that meet in one list.
  private static let parts = [
    "a", "A", "á", "a\u{301}", "aa", "å", "Åse", "ch", "c", "ll", "l·l", "Z", "ž", "æ", "ß", "ss",
    "Alexandra", "Alexandria", "ALEXANDRA", "Alexandr\u{E1}", " ", "-", "’", "1", "10", "9", "王",
    "伟",
    "さ", "サ", "ー", "한", "각", "а", "Я", "й", "ι", "Ω", "ש", "م", "เ", "ก", "क", "्", "\u{200D}",
    "\u{AD}", "🙂", "𝔸", "ﬁ", "\u{1}", "½",
  ]

  @Test(arguments: [
    "C", "und", "da", "cs", "de-u-co-phonebk", "zh", "ja", "th", "en-u-kn-ka-shifted",
  ])
  func `is by sort order, then by the whole key of the name, then by id`(_ locale: String) throws {
    let collator = try Collator(locale: locale)
    var random = SplitMix(seed: UInt64.random(in: .min ... .max))
    let seed = random.state
    for count in [1, 2, 25, 700] {
      var fixture = Fixture()
      try fixture.department("root")
      var expected: [(order: Int64, key: [UInt8], id: String)] = []
      for index in 0..<count {
        var name = ""
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          name += Self.parts.randomElement(using: &random) ?? ""
        }
        let id = ["é", "e", "Z", "~"][index % 4] + "\(index)"
        let order =
          Int.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: -1...1, using: &random) : 0
        try fixture.user(id, in: "root", name: name, order: order)
        expected.append((order, collator.key(of: name), id))
      }
      expected.sort { left, right in
        if left.order != right.order { return left.order < right.order }
        if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
      }
      let tree = try fixture.tree(locale: locale)
      let ids = tree.hierarchy.nodes.dropFirst().map {
        tree.records.users.ids[Int(tree.membershipUsers[Int(tree.nodeRecords[$0])])]
      }
      #expect(ids == expected.map(\.id), "seed \(seed)")
    }
  }
}
