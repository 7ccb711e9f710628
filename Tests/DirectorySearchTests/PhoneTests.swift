import TextRules
import Testing

@testable import DirectorySearch

@Suite("Telephone numbers")
struct PhoneTests {
  private func digits(_ number: String, _ country: String? = nil) -> PhoneDigits {
    let rules = country.flatMap { DialingPlan(country: $0) } ?? .unknown
    return PhoneDigits(Folding.fold(number).utf8, rules: rules)
  }

  private func finds(_ query: String, _ number: String, _ country: String? = nil) -> MatchQuality? {
    let rules = country.flatMap { DialingPlan(country: $0) } ?? .unknown
    return PhoneQuery(Array(Folding.fold(query).utf8), fewestDigits: 1, rules: rules)?
      .quality(in: digits(number, country))
  }

  @Test(
    arguments: [
      ("+49 30 1234", "49301234"), ("+49 (0)30 1234", "49301234"), ("030/12 34", "49301234"),
      ("0049 30 1234", "49301234"), ("٠٣٠ ١٢٣٤", "49301234"), ("1234", "1234"), ("n/a", ""),
      ("+44 (0)20 7946 0000 x12", "442079460000"), ("+49 30 1234567;ext=5", "49301234567"),
    ]
  )
  func `are read in full by the country's rules`(number: String, expected: String) {
    #expect(String(decoding: digits(number, "DE").full, as: UTF8.self) == expected)
  }

  @Test(
    arguments: [
      ("202-224-3441", "US", "12022243441"), ("1-202-224-3441", "US", "12022243441"),
      ("06 1 234 567", "HU", "361234567"), ("8 (495) 123-45-67", "RU", "74951234567"),
      ("91 123 45 67", "ES", "34911234567"), ("06 1234 5678", "IT", "390612345678"),
    ]
  )
  func `of other countries too`(number: String, country: String, expected: String) {
    #expect(String(decoding: digits(number, country).full, as: UTF8.self) == expected)
  }

  @Test(arguments: ["030 1234567", "+49301234567", "0049 30 1234567", "030/1234-567"])
  func `0 and +49 forms agree where a country is configured`(query: String) {
    for number in ["030 1234567", "+49 30 1234567", "(030) 123 45 67"] {
      #expect(finds(query, number, "DE") == .whole, "\(number)")
    }
  }

  @Test func `a country code alone determines no country`() {
    #expect(finds("+1 202 224 5141", "202-224-5141") == .whole)
    #expect(finds("001 202 224 5141", "202-224-5141") == .whole)
    #expect(finds("+49 30 1234567", "030 1234567") == .whole)
    #expect(finds("202 224 5141", "+1 202 224 5141") == .start)
  }

  @Test func `are found by their last digits and by their first before those in the middle`() {
    #expect(finds("4567", "+49 30 1234567") == .start)
    #expect(finds("4930", "+49 30 1234567") == .start)
    #expect(finds("0301", "030 1234567") == .start)
    #expect(finds("0301", "+49 30 1234567", "DE") == .start)
    #expect(finds("345", "+49 30 1234567") == .inside)
    #expect(finds("301234", "+49 30 1234567") == .inside)
  }

  @Test func `a plus begins a number, and few digits are not looked for in the middle`() {
    #expect(finds("+30 1234", "+49 30 1234567") == nil)
    #expect(finds("34", "+49 30 1234567") == nil)
    #expect(finds("+49 30 12", "+49 30 1234567") == .start)
  }

  @Test(
    arguments: [
      ("030 1234567", "+49 30 1234567"), ("05 61 24 92 49", "+33 5 61 24 92 49"),
      ("020 7946 0203", "+44 20 7946 0203"), ("8 495 123-45-67", "+7 495 123 45 67"),
      ("06 1 234 5678", "+36 1 234 5678"), ("03-1234-5678", "+81 3 1234 5678"),
    ]
  )
  func `the national form needs no configured country`(query: String, number: String) {
    #expect(finds(query, number) == .whole)
    #expect(finds(String(query.dropLast(3)), number) == .start)
    #expect(finds(query, number + "9") == .start)
  }

  @Test func `a configured country has its own national numbers alone`() {
    #expect(finds("030 1234567", "+43 30 1234567", "DE") == nil)
  }

  @Test(
    arguments: [
      "+49.30.23125.002", "+49-30/23125-002", "49 30/23125_002", "+49*30*23125*002",
      "030\\23125002",
      "+49 [30] 23125|002", "+49:30:23125:002", "0049 (30) 23125~002", "+49–30–23125–002",
    ]
  )
  func `are read whatever parts their digits`(query: String) {
    #expect(finds(query, "+49 30 23125 002") == .whole)
  }

  @Test(arguments: ["xx", "", "D", "DEU", "ÄÖ"])
  func `a country that does not exist has no rules`(country: String) {
    #expect(DialingPlan(country: country) == nil)
  }

  @Test(arguments: ["DE", "de", "US", "GB", "JE", "JP", "CN", "XK", "VI", "KZ"])
  func `a country that exists has`(country: String) {
    #expect(DialingPlan(country: country) != nil)
  }

  @Test(
    arguments: [
      "+1 650 253 0000 x136", "(650) 253-0000 ext. 136", "+16502530000;ext=136", "650 253 0000,136",
      "650-253-0000 Durchwahl 136", "650 253 0000 #136", "６５０ 253 0000 内線136",
    ]
  )
  func `are found by their extensions`(number: String) {
    for query in ["136", "x136", "ext 136", "Ext.136", "6502530000x136", "+1 650 253 0000 x136"] {
      #expect(finds(query, number, "US") == .whole, "\(query)")
    }
    #expect(finds("253 0000 x136", number) == .start)
    #expect(finds("650 253 0000", number, "US") == .whole)
    #expect(finds("x13", number) == nil)
    #expect(finds("650 253 0000 x137", number) == nil)
  }

  @Test func `in letters are found in digits, and the other way round`() {
    for query in ["18003569377", "1-800-FLOWERS", "1800flowers", "+1 800 356 9377"] {
      #expect(finds(query, "1-800-FLOWERS", "US") == .whole, "\(query)")
      #expect(finds(query, "+1 800-356-9377", "US") == .whole, "\(query)")
    }
    #expect(finds("4711", "4711 intern") == .whole)
  }

  @Test(
    arguments: [
      ("011 15-2345-6789", "+54 9 11 2345-6789", "AR"),
      ("02202 15 412345", "+54 9 2202 412345", "AR"),
      ("+54 9 11 3456-7890", "011 15-3456-7890", "AR"),
      ("+54 11 15 3456-7890", "011 15-3456-7890", "AR"),
      ("011 4567-8901", "+54 11 4567-8901", "AR"), ("+52 55 1234 5678", "+52 1 55 1234 5678", "MX"),
      ("044 55 1234 5678", "+52 55 1234 5678", "MX"),
      ("0 15 11 98765-4321", "+55 11 98765-4321", "BR"),
      ("+44 020 7946 0203", "020 7946 0203", "GB"), ("+49 030 1234567", "030 1234567", "DE"),
    ]
  )
  func `are the same in each way in which they are dialled`(
    query: String,
    number: String,
    country: String
  ) {
    #expect(finds(query, number, country) == .whole)
    #expect(finds(number, query, country) == .whole)
  }

  @Test func `of mobiles in Argentina are found by what is dialled in town`() {
    #expect(finds("15 2345-6789", "+54 9 11 2345-6789", "AR") == .start)
    #expect(finds("11 2345-6789", "+54 9 11 2345-6789", "AR") == .start)
    #expect(finds("+54 11 1534 5678", "+54 11 1534 5678") == .whole)
    #expect(finds("+7 800 123-45-67", "8 800 123-45-67", "RU") == .whole)
  }
}
