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
      // Every fourth address is an old one, which nobody has any more.
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
  ]
}
