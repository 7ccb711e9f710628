import DirectoryModel
import Platform
import TextRules

/// Words in the column of `left` that are known neither for people who have left nor for those who are
/// there: people with such a word are imported, which is told with the words.
struct StatusWords {
  /// Words that are counted by themselves.
  private static let mostWords = 1_000
  /// Words that a message names.
  private static let namedWords = 10

  private struct Word {
    var text: String
    var count = 1
  }

  /// Whether each of them is kept.
  let keepsAll: Bool
  private var words: [Word] = []
  private var places: [String: Int] = [:]
  private var unnamed = 0
  private var first: (line: Int, id: [UInt8])?
  private var all: [RowWarning] = []

  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  mutating func look(at value: [UInt8], _ id: [UInt8], _ line: Int) {
    let text = String(decoding: value, as: UTF8.self)
    let folded = Folding.fold(text)
    if Self.present.contains(folded) || Self.isZero(value) { return }
    if first == nil { first = (line, id) }
    if let place = places[folded] {
      words[place].count += 1
    } else if words.count < Self.mostWords {
      places[folded] = words.count
      words.append(Word(text: QuotedValue.text(value)))
    } else {
      unnamed += 1
    }
    guard keepsAll else { return }
    let reason = "left \(QuotedValue.text(value)) is no known word; the person is imported"
    all.append(RowWarning(line: line, id: id, reason: reason))
  }

  /// Tells what was found in a file, and goes to the next.
  mutating func warn(_ rows: ListRowBuilder) {
    defer { self = StatusWords(keepsAll: keepsAll) }
    guard let first else { return }
    let sorted = words.sorted { $0.count > $1.count }
    var parts = sorted.prefix(Self.namedWords).map { "\($0.text) (\($0.count))" }
    let others = sorted.count - parts.count
    if others > 0 || unnamed > 0 {
      parts.append(unnamed > 0 ? "more than \(others) others" : counted(others, "other"))
    }
    let one = words.count == 1
    let reason =
      "the column of left contains \(one ? "a word that is" : "words that are") not known: "
      + "\(parts.joined(separator: ", ")); people with \(one ? "it" : "them") are imported; if "
      + "\(one ? "it says" : "one of them says") that somebody has left, name it, as in "
      + "left: \"{Status} = Gone, Retired\""
    rows.warn(RowWarning(line: first.line, id: first.id, reason: reason), of: all)
  }

  /// A date of nothing but zeros, as SAP writes none.
  private static func isZero(_ value: [UInt8]) -> Bool {
    value.allSatisfy { $0 == 0x30 || $0 < 0x30 || $0 == 0x3A }
  }

  private static let present: Set<String> = Set(
    [
      "active", "employed", "employee", "current", "present", "working", "hired", "enabled",
      "on leave", "leave", "permanent", "temporary", "full time", "full-time", "part time",
      "part-time", "probation", "in service", "staff", "regular",
      "aktiv", "beschäftigt", "angestellt", "anwesend", "in elternzeit", "elternzeit",
      "mutterschutz", "beurlaubt", "unbefristet", "befristet", "probezeit", "vollzeit", "teilzeit",
      "im dienst",
      "actif", "active", "en poste", "présent", "présente", "en congé", "cdi", "cdd", "titulaire",
      "activo", "activa", "alta", "de alta", "en activo", "en plantilla", "contratado",
      "contratada",
      "attivo", "attiva", "in servizio", "in forza", "assunto", "assunta",
      "ativo", "ativa", "admitido", "admitida", "empregado", "empregada",
      "actief", "in dienst", "werkzaam", "werknemer",
      "aktywny", "aktywna", "zatrudniony", "zatrudniona", "pracuje",
      "активен", "активна", "активный", "активная", "работает", "принят", "принята", "в штате",
      "在职", "在職", "正常", "有效", "现职", "試用", "试用", "试用期",
      "在籍", "在籍中", "在職中", "有効", "勤務中", "休職", "休職中",
      "재직", "재직중", "재직 중", "근무", "근무중", "휴직", "휴직중",
    ].map(Folding.fold)
  )
}
