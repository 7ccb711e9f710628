import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Seeds
import Testing

@Suite("Searching telephone numbers")
struct PhoneSearchTests {
  private func find(
    _ text: String,
    among numbers: [String],
    _ rules: DialingPlan = .unknown
  ) throws -> [String] {
    var company = Company()
    try company.department("d", name: "Office")
    for (row, number) in numbers.enumerated() {
      try company.user("u\(row)", in: "d", name: "Ann", phone: number)
    }
    let engines = try company.engines(phones: rules)
    let request = SearchRequest(SearchQuery(text, phones: rules))
    let hits = try engines.scan.search(request).hits
    #expect(try engines.index.search(request).hits == hits, "“\(text)”")
    return hits.filter { !$0.isDepartment }.map { numbers[$0.row] }
  }

  @Test(arguments: ["23125", "3125", "0 23125 0", "025", "phone:3125002", "\"3125\""])
  func `finds digits in the middle of a number`(text: String) throws {
    let numbers = ["+49 30 23125 025", "+49 30 23125 002", "+44 20 7946 0203", "n/a"]
    let found = try find(text, among: numbers)
    #expect(found.contains(text.hasSuffix("002") ? numbers[1] : numbers[0]))
    #expect(!found.contains(numbers[2]))
  }

  @Test(arguments: [("US", "1"), ("JP", "0"), ("SG", "65")])
  func `finds no person without a number by a dialling prefix`(
    country: String,
    text: String
  ) throws {
    let rules = try #require(DialingPlan(country: country))
    let numbers = ["", "n/a", "+49 30 23124"]
    #expect(try find("phone:\(text)", among: numbers, rules) == [], "\(country)")
  }

  @Test func `puts whole numbers before ends and ends before the middle`() throws {
    let numbers = ["1234 5678 99", "99 1234 5678", "1234 5678", "99 1234 5678 99"]
    #expect(try find("12345678", among: numbers) == [2, 0, 1, 3].map { numbers[$0] })
  }

  @Test func `leaves out who has the digits anywhere`() throws {
    #expect(try find("ann -7946", among: ["+44 20 7946 0203", "+44 20 1234"]) == ["+44 20 1234"])
  }

  @Test(arguments: newSeeds(20))
  func `finds every run of digits, with an index and without`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let starts = ["+49 30 ", "030", "+86 ", "", "00", "8 (495)", "+1 202 "]
    let numbers = (0..<60).map { _ in
      let digits = (0..<Int.random(in: 3...16, using: &generator))
        .map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
      return (starts.randomElement(using: &generator) ?? "") + digits
    }
    for number in numbers.prefix(12) {
      let digits = number.filter(\.isNumber)
      let start = Int.random(in: 0...digits.count - 3, using: &generator)
      let count = Int.random(in: 3...digits.count - start, using: &generator)
      let run = String(digits.dropFirst(start).prefix(count))
      #expect(try find(run, among: numbers).contains(number), "seed \(seed): \(run) \(number)")
    }
  }

  @Test(
    arguments: [
      "136", "x136", "ext 136", "ext. 136", "x 136", "phone:x136", "\"253 0000 x136\"",
      "253 0000 x136",
      "+1 650 253 0000 x136", "650 253 0000 ext. 136", "tel:+1-650-253-0000;ext=136",
      "+1 650 253 0000", "6502530000", "650 253 0000 x999",
    ]
  )
  func `finds extensions`(text: String) throws {
    let numbers = ["+1 650 253 0000 x136", "+49 30 23125 002", "(650) 253-0001 ext. 140"]
    #expect(try find(text, among: numbers) == [numbers[0]])
  }

  @Test(
    arguments: [
      "1-800-FLOWERS", "flowers", "FLOW", "phone:flowers", "phone:1-800-flowers", "18003569377",
      "800 356 9377",
      "1 800 flowers", "3569377",
    ]
  )
  func `finds numbers in letters`(text: String) throws {
    let numbers = ["1-800-FLOWERS", "1-800-356-0000", "n/a"]
    #expect(try find(text, among: numbers) == [numbers[0]])
  }

  @Test(arguments: [("AR", true), ("AR", false), ("MX", true), ("US", false)])
  func `finds what is dialled otherwise, with an index and without`(
    country: String,
    isConfigured: Bool
  ) throws {
    let rules = isConfigured ? try #require(DialingPlan(country: country)) : .unknown
    let numbers = [
      "+54 9 11 2345-6789", "011 15-3456-7890", "+54 11 4567-8901", "+54 9 2202 41-2345",
      "02202 15 41-2346", "+52 1 55 1234 5678", "044 55 1234 5679", "+52 55 1234 5680",
    ]
    for text in numbers + [
      "011 15-2345-6789", "+54 9 11 3456-7890", "15 3456-7890", "02202 15 412345",
      "+52 55 1234 5678",
      "55 1234 5679", "11 2345 6789",
    ] {
      let found = try find(text, among: numbers, rules)
      #expect(!numbers.contains(text) || found.contains(text), "\(text)")
    }
  }
}
