import Testing

@testable import DirectoryExchange

@Suite("Names as lists write them")
struct WrittenNameTests {
  /// As written; then prefix, given, family, suffix, and the whole.
  private static let names: [(String, [String])] = [
    ("Ada Lund", ["", "Ada", "Lund", "", "Ada Lund"]),
    ("Lund, Ada", ["", "Ada", "Lund", "", "Ada Lund"]),
    ("LUND Ada", ["", "Ada", "Lund", "", "Ada Lund"]),
    ("Ada LUND", ["", "Ada", "Lund", "", "Ada Lund"]),
    ("LUND ADA", ["", "LUND", "ADA", "", "LUND ADA"]),
    ("LI Wei", ["", "Wei", "Li", "", "Wei Li"]),
    ("AJ Lee", ["", "AJ", "Lee", "", "AJ Lee"]),
    ("J. SMITH", ["", "J.", "Smith", "", "J. Smith"]),
    ("Prof. Dr. med. Ada Lund", ["Prof. Dr. med.", "Ada", "Lund", "", "Ada Lund"]),
    ("Lund, Dr. Ada", ["Dr.", "Ada", "Lund", "", "Ada Lund"]),
    ("Lund, Ada, PhD", ["", "Ada", "Lund", "PhD", "Ada Lund"]),
    ("John Smith Jr.", ["", "John", "Smith", "Jr.", "John Smith Jr."]),
    ("Smith, John, Jr., M.D.", ["", "John", "Smith", "Jr. M.D.", "John Smith Jr."]),
    ("van der BERG Ada", ["", "Ada", "van der Berg", "", "Ada van der Berg"]),
    ("VAN DER BERG Ada", ["", "Ada", "van der Berg", "", "Ada van der Berg"]),
    ("LE GOFF Élodie", ["", "Élodie", "Le Goff", "", "Élodie Le Goff"]),
    ("Élodie LE GOFF", ["", "Élodie", "Le Goff", "", "Élodie Le Goff"]),
    ("Élodie le Goff", ["", "Élodie", "le Goff", "", "Élodie le Goff"]),
    ("DU BELLAY Anne", ["", "Anne", "Du Bellay", "", "Anne Du Bellay"]),
    ("DE LA TOUR Anne", ["", "Anne", "de la Tour", "", "Anne de la Tour"]),
    ("O'NEILL-MCDONALD Jo", ["", "Jo", "O'Neill-Mcdonald", "", "Jo O'Neill-Mcdonald"]),
    ("MCDONALD Jo", ["", "Jo", "McDonald", "", "Jo McDonald"]),
    (
      "MÜLLER-LÜDENSCHEIDT Jörg",
      ["", "Jörg", "Müller-Lüdenscheidt", "", "Jörg Müller-Lüdenscheidt"]
    ),
    ("ИВАНОВ Пётр", ["", "Пётр", "Иванов", "", "Пётр Иванов"]),
    ("Ada", ["", "", "Ada", "", "Ada"]),
    ("Dr.", ["", "", "Dr.", "", "Dr."]),
    ("a, b, c", ["", "", "", "", "a, b, c"]),
    ("山田 太郎", ["", "太郎", "山田", "", "山田 太郎"]),
    ("山田, 太郎 様", ["", "太郎", "山田", "様", "山田太郎"]),
    ("タナカ、ハナコ", ["", "ハナコ", "タナカ", "", "タナカ ハナコ"]),
    ("张伟先生", ["", "", "", "先生", "张伟"]),
    ("김, 철수", ["", "철수", "김", "", "김철수"]),
    (",", ["", "", "", "", ","]),
  ]

  @Test func `are taken apart by the rules of their script`() {
    for (text, parts) in Self.names {
      let name = ParsedName(text)
      #expect(
        [name.prefix, name.given, name.family, name.suffix, name.whole] == parts,
        "\(text)"
      )
    }
  }
}
