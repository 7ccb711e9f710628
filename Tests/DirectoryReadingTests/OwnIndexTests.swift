import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import Synchronization
import Testing

@testable import DirectoryReading

@Suite("The index of a class of viewers")
struct OwnIndexTests {
  /// 2,600 people in departments of which the odd ones are hidden; with `isWhole` false they never were.
  private func company(isWhole: Bool) throws -> DirectorySnapshot {
    var generator = SeededGenerator(seed: 7)
    let words = ["anna", "anton", "berta", "bertram", "clara", "chlora", "dora", "emil", "emilia"]
    var company = Company()
    try company.department("top", name: "Works of Anna")
    for number in 0..<40 where isWhole || number.isMultiple(of: 2) {
      try company.department("d\(number)", under: "top", name: "\(words[number % 9]) \(number)")
    }
    for number in 0..<5_200 {
      let first = words.randomElement(using: &generator) ?? ""
      let last = words.randomElement(using: &generator) ?? ""
      let department = Int.random(in: 0..<40, using: &generator)
      let title = words.randomElement(using: &generator) ?? ""
      guard isWhole || department.isMultiple(of: 2) else { continue }
      try company.user(
        "u\(number)",
        in: "d\(department)",
        name: "\(first) \(last)\(number % 97)",
        title: title,
        email: "\(first).\(last).\(number)@example.com",
        phone: "+49 30 \(200_000 + number)"
      )
    }
    return try company.snapshot()
  }

  private static let words = [
    "anna", "ana", "anton 1", "emil 42", "dept:clara", "works", "u77", "030200017", "200017",
    "bertram.emil", "title:dora anna", "-dora anna", "chlara", "in:d2 berta", "emilia \"anna\"",
  ]

  @Test func `gives what a directory of only that gives, before and after it is there`() throws {
    var sight = Sight.everything
    for number in stride(from: 1, to: 40, by: 2) {
      sight.places.insert(Sight.Places(.department(DepartmentID("d\(number)")), .hidden), at: 0)
    }
    let works = Mutex<[@Sendable () -> Void]>([])
    var support = SearchSupport()
    support.runsLater = { work in works.withLock { $0.append(work) } }
    let state = try DirectoryState(company(isWhole: true), for: sight, support)
    let reference = try Directory(company(isWhole: false), for: .everything)
    func transcript(_ directory: Directory) throws -> [ReadingTranscript.Entry] {
      try ReadingTranscript(
        directory,
        names: ["anna", "emil 3"],
        words: Self.words,
        open: [],
        withWhole: false
      ).entries
    }
    let wanted = try transcript(reference)
    func compare() throws {
      let answers = try transcript(Directory(state))
      #expect(answers.count == wanted.count)
      for (answer, expected) in zip(answers, wanted) where answer.answer != expected.answer {
        let (answer, wanted) = (answer.answer.prefix(300), expected.answer.prefix(300))
        Issue.record("\(expected.question): \(answer), not \(wanted)")
      }
    }
    try compare()
    let without = state.byteCount
    let work = works.withLock { $0 }
    #expect(work.count == 1)
    work.forEach { $0() }
    #expect(state.byteCount > without)
    try compare()
    #expect(works.withLock { $0.count } == 1)
  }

  @Test func `is not made for few people, nor where nothing runs later`() throws {
    var company = Company()
    try company.department("a")
    for number in 0..<50 { try company.user("u\(number)", in: "a") }
    var sight = Sight.everything
    sight.places.insert(Sight.Places(.person(UserID("u1")), .hidden), at: 0)
    var support = SearchSupport()
    support.runsLater = { _ in Issue.record("an index of few people") }
    let directory = Directory(try DirectoryState(company.snapshot(), for: sight, support))
    #expect(try directory.search("u49", in: nil, limit: nil).total == .exactly(1))
  }

  @Test func `never finds a department of which only the name is shown`() throws {
    for isLate in [false, true] {
      var support = SearchSupport()
      if isLate { support.runsLater = { $0() } }
      let sight = Sight([Sight.Places(.department(DepartmentID("d2")), .shown)])
      var company = Company()
      try company.department("top", name: "Works")
      try company.department("d2", under: "top", name: "Workshop")
      for number in 0..<(isLate ? 2_100 : 5) { try company.user("u\(number)", in: "d2") }
      let directory = Directory(try DirectoryState(company.snapshot(), for: sight, support))
      for _ in 0..<2 {
        let total = try directory.search("work", in: nil, limit: nil)
        let found = try directory.searcher().matchingNodes(for: "work", root: nil)
        #expect(found.count == 1, "\(total)")
        var names: [String] = []
        _ = try directory.searcher().forEachHit(of: SearchOptions("works")) { hit in
          if hit.row.kind == .department { names.append(hit.row.name) }
        }
        #expect(names == ["Workshop"])
      }
    }
  }
}
