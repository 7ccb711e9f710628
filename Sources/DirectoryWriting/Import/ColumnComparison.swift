import DirectoryModel
import DirectoryStore

/// Judges by what columns hold which of them were exchanged: of a sample of people, with the values
/// before and afterwards.
struct ColumnComparison: Sendable {
  /// Whose values a column has now.
  private enum Origin: Equatable {
    /// Those that the other column had, or values that look like them.
    case column(String)
    /// The words of the same name in another order.
    case turned
    /// Values of another shape than before, which no other column had.
    case shape(ValueShape)
    /// Values that no longer have the shape that they had.
    case words(former: ValueShape)
  }

  private var origins: [(value: String, origin: Origin)] = []

  /// - Parameters:
  ///   - people: The sample.
  ///   - values: Names of the values of which many change.
  /// - Complexity: O(people · values²), and there are few values.
  init(_ people: [ImportChangedPerson], of values: [String]) {
    let all = Set(people.flatMap(\.values.keys)).sorted()
    for value in values {
      let changed = people.filter { person in
        person.values[value].map { !Self.same($0.here, $0.listed) } ?? false
      }
      guard !changed.isEmpty else { continue }
      if let origin = Self.origin(of: value, changed, all) { origins.append((value, origin)) }
    }
  }

  /// Whether it says where a value's new values come from.
  func explains(_ value: String) -> Bool { origins.contains { $0.value == value } }

  private static func origin(
    of value: String,
    _ changed: [ImportChangedPerson],
    _ all: [String]
  ) -> Origin? {
    func isMost(_ count: Int) -> Bool { count * 2 > changed.count }
    for other in all where other != value {
      let count = changed.count { person in
        guard let new = person.values[value]?.listed, let old = person.values[other]?.here else {
          return false
        }
        return !new.isEmpty && same(new, old)
      }
      if isMost(count) { return .column(other) }
    }
    let turned = changed.count { person in
      person.values[value].map { isTurned($0.here, $0.listed) } ?? false
    }
    if value == "name", isMost(turned) { return .turned }
    func shape(_ texts: [String]) -> ValueShape? {
      let shapes = Dictionary(grouping: texts.compactMap(ValueShape.init)) { $0 }
      return shapes.first { $0.value.count * 2 > texts.count }?.key
    }
    let (old, new) = (
      shape(changed.compactMap { $0.values[value]?.here }),
      shape(changed.compactMap { $0.values[value]?.listed })
    )
    guard let new, new != old else { return nil }
    // Words may be anybody's.
    if new == .words { return old.map { .words(former: $0) } }
    let source = all.first { other in
      other != value && shape(changed.compactMap { $0.values[other]?.here }) == new
    }
    return source.map { .column($0) } ?? .shape(new)
  }

  /// By bytes: two normal forms of a text are two values.
  private static func same(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }

  private static func isTurned(_ left: String, _ right: String) -> Bool {
    func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "," } }
    let (old, new) = (words(left), words(right))
    return old.count > 1 && old != new && old.sorted() == new.sorted()
  }

  // MARK: Words

  /// A line for each finding, with the columns by their headings.
  func findings(headings: (String) -> [String]) -> [String] {
    func name(_ value: String) -> String { ChangeBrake.column(value, headings) }
    var lines: [String] = []
    var told: Set<String> = []
    for (value, origin) in origins where !told.contains(value) {
      switch origin {
      case .column(let other):
        let isSwap = origins.contains { $0.value == other && $0.origin == .column(value) }
        if isSwap {
          told.insert(other)
          lines.append(
            "the columns \(name(value)) and \(name(other)) look swapped: each has values as the "
              + "other one had them"
          )
        } else {
          lines.append(
            "the columns look shifted: \(name(value)) has values as \(name(other)) had them"
          )
        }
      case .turned:
        let columns = headings(value)
        lines.append(
          (columns.count > 1
            ? "the columns \(columns.joined(separator: " and ")) look swapped"
            : "given and family names look swapped")
            + ": names have the same words in another order"
        )
      case .shape(let shape):
        lines.append("the new values of \(name(value)) look like \(shape.text)")
      case .words(let former):
        lines.append("the new values of \(name(value)) do not look like \(former.text)")
      }
    }
    return lines
  }
}

/// What a value looks like, by its signs alone.
enum ValueShape: Hashable, Sendable {
  case email, url, date, phone, number, words

  /// `nil` for an empty text.
  init?(_ text: String) {
    let bytes = text.utf8
    guard !bytes.isEmpty else { return nil }
    let digits = bytes.count { (0x30...0x39).contains($0) }
    if bytes.contains(0x40), !bytes.contains(0x20) {
      self = .email
    } else if text.contains("://") {
      self = .url
    } else if digits == 8, bytes.count == 10, bytes.count(where: { $0 == 0x2D }) == 2 {
      self = .date
    } else if digits == bytes.count, digits < 7 {
      self = .number
    } else if digits >= 5, digits * 2 > bytes.count,
      bytes.allSatisfy({ (0x20...0x39).contains($0) || $0 == 0x78 })
    {
      self = .phone
    } else {
      self = .words
    }
  }

  var text: String {
    switch self {
    case .email: "email addresses"
    case .url: "links"
    case .date: "dates"
    case .phone: "phone numbers"
    case .number: "numbers"
    case .words: "words"
    }
  }
}
