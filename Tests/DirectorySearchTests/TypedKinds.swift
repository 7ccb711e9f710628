import Seeds

extension TypedFormsTests.Kind {
  static let all: [TypedFormsTests.Kind] = [
    Self("surname, comma, first name", 0.99, 0.97) { person, _ in
      ["\(person.family), \(person.given)"]
    },
    Self("dots, underscores and slashes between the words", 0.98, 0.95) { person, generator in
      let sign = [".", "_", "/", "-"].randomElement(using: &generator) ?? ""
      let (given, family) = person.latin
      return [given + sign + family, family + sign + given].map { $0.lowercased() }
    },
    Self("signs at the ends", 0.99, 0.97) { person, generator in
      let (given, family) = person.words
      let forms = [
        "\(given) \(family)?", "(\(given) \(family))", "\(given) \(family);",
        "\(given) \(family):",
        "[\(given)] \(family)!", "\(given), \(family)…", "*\(given) \(family)*",
        "- \(given) \(family)",
      ]
      return [forms.randomElement(using: &generator) ?? ""]
    },
    Self("forms of address", 0.98, 0.95) { person, generator in
      let (given, family) = (person.given, person.family)
      let latin = [
        "Mr. \(family)", "Mrs \(given) \(family)", "Dr. \(family)", "Prof. Dr. \(given) \(family)",
        "Herr \(family)", "Frau \(given) \(family)", "Mme \(family)", "Sr. \(given) \(family)",
        "Sra. Dña. \(given) \(family)", "\(given) \(family), PhD", "Hr. \(family)", "Pani \(given)",
      ]
      let forms =
        switch person.script {
        case .han: ["\(family)\(person.given)先生", "\(family)\(given) 女士", "\(family)\(given)老师"]
        case .kanji:
          ["\(family)さん", "\(family)\(given)様", "\(family) 先生", "\(person.latin.family)-san"]
        case .hangul: ["\(family)\(given)님", "\(family)\(given) 씨", "\(family)\(given) 선생님"]
        case .cyrillic: ["г-н \(family)", "д-р \(given) \(family)", "проф. \(family)"]
        case .greek: ["κ. \(family)", "δρ. \(given) \(family)", "κύριος \(family)"]
        case .arabic: ["السيد \(given) \(family)", "د. \(given) \(family)"]
        case .hebrew: ["ד\"ר \(given) \(family)", "מר \(family)"]
        case .devanagari: ["श्री \(given) \(family)", "डॉ. \(family)", "\(given) जी"]
        case .latin: latin
        }
      return [forms.randomElement(using: &generator) ?? ""]
    },
    Self("pasted addresses", 0.99, 0.97) { person, generator in
      let (given, family) = (person.given, person.family)
      // Every fourth address is an old one, which no one has any more.
      let old = person.number.isMultiple(of: 4) ? "old\(person.number)@gone.example" : person.email
      let forms = [
        "\(given) \(family) <\(old)>", "\"\(given) \(family)\" <\(old)>",
        "\"\(family), \(given)\" <\(old)>", "\(family), \(given) <\(old)>;",
        "mailto:\(person.email)", "<\(person.email)>", "\(person.email);",
        "\(given) \(family) (\(old))",
      ]
      return [forms.randomElement(using: &generator) ?? ""]
    },
    Self("phone numbers in national form", 0.98, 0.95) { person, generator in
      let (area, rest) = (person.digits.prefix(2), person.digits.dropFirst(2))
      let forms = [
        "0\(area)\(rest)", "0\(area) \(rest)", "0\(area) \(rest.prefix(3)) \(rest.dropFirst(3))",
      ]
      return [forms.randomElement(using: &generator) ?? ""]
    },
    Self("phone numbers with odd separators", 0.98, 0.95) { person, generator in
      let (area, rest) = (person.digits.prefix(2), person.digits.dropFirst(2))
      let (start, end) = (rest.prefix(3), rest.dropFirst(3))
      let forms = [
        "0\(area)·\(start)·\(end)", "+49 (0)\(area) \(start)–\(end)",
        "0049/\(area)/\(start).\(end)",
        "(0\(area)) \(start) • \(end)", "Tel.: 0\(area)-\(start)-\(end)", "tel:+49\(area)\(rest)",
        "0\(area),\(start),\(end)", "+49.\(area).\(start).\(end)", "Fon 0\(area) \(start)'\(end)",
      ]
      return [forms.randomElement(using: &generator) ?? ""]
    },
    Self("the last digits of a phone number", 0.98, 0.9) { person, _ in
      [String(person.digits.suffix(4)), String(person.digits.suffix(6))]
    },
    Self("a middle run of a phone number", 0.98, 0.8) { person, _ in
      [String(person.digits.dropFirst(3).prefix(5))]
    },
    Self("run together", 0.95, 0.9) { person, generator in
      guard [.latin, .cyrillic, .greek].contains(person.script) else { return [] }
      let (given, family) = (person.letters.given, person.letters.family)
      let forms = [
        given + family, given.prefix(1) + family, family + given.prefix(1), family + given,
      ]
      return [forms.randomElement(using: &generator) ?? ""]
    },
    Self("hyphen, apostrophe or blank dropped", 0.98, 0.9) { person, _ in
      let (given, family) = (person.given, person.family)
      let parted = [given, family].filter { $0.contains { "-’' ".contains($0) } }
      let joined = parted.map { part in part.filter { !"-’' ".contains($0) }.lowercased() }
      return joined + joined.map { $0 + " " + (given == parted[0] ? family : given) }
    },
    Self("a blank too many", 0.95, 0.9) { person, generator in
      guard person.script == .latin else { return [] }
      let family = person.letters.family
      guard family.count > 5 else { return [] }
      let cut = Int.random(in: 2...family.count - 2, using: &generator)
      return ["\(person.given) \(family.prefix(cut)) \(family.dropFirst(cut))"]
    },
    Self("initials", 0.97, 0.9) { person, generator in
      guard [.latin, .cyrillic, .greek].contains(person.script) else { return [] }
      let (given, family) = (person.letters.given, person.letters.family)
      let forms = [
        "\(given.prefix(1)) \(family)", "\(given.prefix(1)). \(family)",
        "\(family) \(given.prefix(1))",
      ]
      return [forms.randomElement(using: &generator) ?? ""]
    },
    Self("a word too many", 0.95, 0.9) { person, generator in
      let words = ["berlin", "quality", "reception", "2019", "x42", "köln"]
      let word = words.randomElement(using: &generator) ?? ""
      let (first, second) = person.words
      return [
        ["\(first) \(second) \(word)", "\(word) \(person.name)"].randomElement(using: &generator)
          ?? ""
      ]
    },
    Self("another keyboard layout", 0.9, 0.85) { person, generator in
      let (first, second) = person.words
      let text = "\(first) \(second)".lowercased()
      switch person.script {
      case .cyrillic: return [WrongKeys.latin(text, WrongKeys.russian)]
      case .greek: return [WrongKeys.latin(text, WrongKeys.greek)]
      case .hebrew: return [WrongKeys.latin(text, WrongKeys.hebrew)]
      case .arabic: return [WrongKeys.latin(text, WrongKeys.arabic)]
      case .latin:
        let plain = text.filter { $0.isLetter || $0 == " " }
        guard plain.count == text.count, plain.allSatisfy({ $0.isASCII }) else { return [] }
        guard !plain.contains("q") else { return [] }
        let layouts = [WrongKeys.russian, WrongKeys.hebrew, WrongKeys.greek]
        let layout = layouts.randomElement(using: &generator) ?? WrongKeys.russian
        return plain.contains("w") || layout == WrongKeys.greek && plain.contains("q")
          ? [] : [WrongKeys.other(plain, layout)]
      default: return []
      }
    },
    Self("slips in the Latin reading of another script", 0.97, 0.95) { person, generator in
      let (given, family) = person.latin
      let words: [String] =
        switch person.script {
        case .latin, .arabic, .hebrew, .devanagari: []
        case .cyrillic, .greek: [given, family]
        case .han, .kanji, .hangul: [family + given]
        }
      return words.filter { $0.utf8.count >= 5 }.map { word in
        var letters = Array(word)
        var at = 0
        repeat {
          at = Int.random(in: 1..<letters.count - 1, using: &generator)
        } while letters[at] == letters[at + 1]
        letters.swapAt(at, at + 1)
        return String(letters)
      }
    },
    Self("nicknames and forms in other languages", 0.9, 0.85) { person, generator in
      guard let form = Nicknames.forms[person.given]?.randomElement(using: &generator) else {
        return []
      }
      return ["\(form) \(person.latin.family)"]
    },
  ]
}

/// Rows of keys, to type with another layout than was meant.
enum WrongKeys {
  static let us = "qwertyuiop[]asdfghjkl;'zxcvbnm,."
  static let russian = "йцукенгшщзхъфывапролджэячсмитьбю"
  static let greek = ";ςερτυθιοπ[]ασδφγηξκλ΄'ζχψωβνμ,."
  static let hebrew = "/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ"
  static let arabic = "ضصثقفغعهخحجدشسيبلاتنمكطئءؤر\u{FEFB}ىةوز"

  /// What comes of a text of another script on a Latin keyboard.
  static func latin(_ text: String, _ layout: String) -> String {
    let plain = text.decomposed
    return replaced(plain, from: layout, to: us)
  }

  /// What comes of a Latin text on another keyboard.
  static func other(_ text: String, _ layout: String) -> String {
    replaced(text.lowercased(), from: us, to: layout)
  }

  private static func replaced(_ text: String, from: String, to: String) -> String {
    let map = Dictionary(
      zip(from.unicodeScalars, to.unicodeScalars),
      uniquingKeysWith: { first, _ in first }
    )
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(map[scalar] ?? scalar) }
    return String(result)
  }
}

extension String {
  /// Without Greek accents, which keys of their own make.
  fileprivate var decomposed: String {
    let accents = Dictionary(uniqueKeysWithValues: zip("άέήίόύώ", "αεηιουω"))
    return String(map { accents[$0] ?? $0 })
  }
}

/// What people are called who are written otherwise.
enum Nicknames {
  static let forms: [String: [String]] = [
    "Robert": ["bob", "rob"], "Katharina": ["kathy", "kate"], "José": ["pepe", "joseph"],
    "María": ["mary", "marie"], "John": ["johnny", "jack"], "Anna": ["annie", "anya"],
    "Борис": ["borya"], "Дмитрий": ["dima", "mitya"], "Светлана": ["sveta"],
    "Иван": ["vanya", "john"],
    "Николай": ["kolya", "nicholas"], "Ольга": ["helga"], "Γιώργος": ["george", "jorge"],
    "Δημήτρης": ["dimitri"], "Ελένη": ["helen", "elena"], "Νίκος": ["nicholas", "nick"],
    "Tomás": ["tom", "thomas"], "Jiří": ["george"], "Ferenc": ["frank"], "Ludwig": ["louis"],
    "Jürgen": ["george"], "Pieter": ["peter", "pete"], "Anton": ["tony", "anthony"],
    "Giulia": ["julia"], "Zofia": ["sophie"], "Mehmet": ["mohammed"], "Omar": ["umar"],
  ]
}
