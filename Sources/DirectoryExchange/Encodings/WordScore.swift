/// How likely a word is in each language: its letters, its capitals, and the signs inside it.
struct WordScorer {
  private let models = LanguageModels.all
  private let ideographs: IdeographCosts?
  /// Of words that were asked for before.
  private var found: [[UInt32]: [Float]] = [:]

  /// - Parameter ideographs: Where there may be ideographs.
  init(ideographs: IdeographCosts? = nil) { self.ideographs = ideographs }

  /// Natural logarithms of probabilities, in the order of `LanguageModels.codes`.
  mutating func score(_ word: [UInt32]) -> [Float] {
    if let scores = found[word] { return scores }
    let scores = compute(word)
    found[word] = scores
    return scores
  }

  /// What a name is at least, whatever its letters.
  private static let knownName: Float = -9

  private func compute(_ word: [UInt32]) -> [Float] {
    let kinds = word.map { models.scalars.kind(of: $0) }
    var scores = letterScores(word, kinds) + ideographScores(word, kinds)
    let penalty = signs(word, kinds) + capitals(word, kinds) + mixture(kinds)
    for language in scores.indices { scores[language] += penalty }
    if penalty == 0, word.contains(where: { $0 >= 0x80 }),
      models.known.contains(ScalarKinds.small(word))
    {
      for language in models.letters.indices {
        scores[language] = max(scores[language], Self.knownName)
      }
    }
    return scores
  }

  /// Letters that follow each other; signs are borders.
  private func letterScores(_ word: [UInt32], _ kinds: [ScalarKinds.Kind]) -> [Float] {
    let strangers = Float(kinds.count { $0 == .ideograph })
    let numbers = zip(word, kinds).map { scalar, kind -> Int in
      switch kind {
      case .capital, .small, .letter:
        let number = Int(models.scalars.number(of: scalar))
        return number == 0 ? models.scalars.count + 1 : number
      default: return 0
      }
    }
    return models.letters.map { letters in
      var score = strangers * LanguageModels.Letters.foreign
      var before = 0
      for number in numbers + [0] {
        if number == 0, before == 0 { continue }
        let place =
          number > models.scalars.count
          ? LanguageModels.Letters.unknown : letters.places[number]
        score += Self.step(letters, before, Int(place))
        before = Int(place)
      }
      return score
    }
  }

  private static func step(
    _ letters: LanguageModels.Letters,
    _ first: Int,
    _ second: Int
  ) -> Float {
    let unknown = Int(LanguageModels.Letters.unknown)
    guard first != unknown, second != unknown else { return LanguageModels.Letters.foreign }
    return letters.matrix[first * letters.side + second]
  }

  private func ideographScores(_ word: [UInt32], _ kinds: [ScalarKinds.Kind]) -> [Float] {
    models.characters.indices.map { language in
      var score: Float = 0
      var isInside = false
      for (scalar, kind) in zip(word, kinds) {
        switch kind {
        case .ideograph:
          score += ideographs?.cost(of: scalar, language) ?? LanguageModels.Letters.foreign
          if !isInside { score -= 1 }
          isInside = true
        case .capital, .small, .letter: score += LanguageModels.Letters.foreign
        default: break
        }
      }
      return score
    }
  }

  /// Those that stand in lists of people by themselves.
  private static let commonSigns: Set<UInt32> = [0xA3, 0xA7, 0xA9, 0xAE, 0xB0, 0x20AC, 0x2122]

  /// Signs are rare around words, and in words there are none but for `O’Brien` and the like.
  private func signs(_ word: [UInt32], _ kinds: [ScalarKinds.Kind]) -> Float {
    var penalty: Float = 0
    for (place, kind) in kinds.enumerated() {
      let isInside = place > 0 && place < word.count - 1
      switch kind {
      case .ideographicSign:
        let isAmongOthers = [place - 1, place + 1].allSatisfy {
          !kinds.indices.contains($0) || kinds[$0] == .ideograph || kinds[$0] == .ideographicSign
        }
        penalty -= isAmongOthers ? 4 : 14
      case .punctuation where word[place] == 0x2019 && isInside: penalty -= place == 1 ? 3 : 9
      case .punctuation where word.count == 1: penalty -= 3
      case .punctuation where isInside:
        penalty -= [0x2013, 0x2014, 0xB7].contains(word[place]) ? 8 : 13
      case .punctuation: penalty -= 11
      case .sign where (0xB2...0xB3).contains(word[place]) && place == 1 && word[0] == 0x6D:
        penalty -= 4
      case .sign where word.count == 1: penalty -= Self.commonSigns.contains(word[place]) ? 4 : 7
      case .sign: penalty -= 13
      case .capital where word.count == 1 && word[place] >= 0x80,
        .small where word.count == 1 && word[place] >= 0x80:
        penalty -= 3
      case .other where word[place] >= 0x80: penalty -= 15
      default: break
      }
    }
    return penalty
  }

  /// Beginnings of names behind which there is a capital.
  private static let prefixes: Set<[UInt32]> = Set(
    [
      "Mc", "Mac", "O", "D", "De", "Di", "La", "Le", "Van", "Von", "Du", "Fitz", "Des", "Del", "Da",
      "Lo",
      "Nic", "Ní",
    ].map { $0.unicodeScalars.map(\.value) }
  )

  /// Capitals stand at the beginning of words, or all of a word is in them; where only ASCII is
  /// concerned, all encodings agree.
  private func capitals(_ word: [UInt32], _ kinds: [ScalarKinds.Kind]) -> Float {
    guard word.count > 1 else { return 0 }
    var penalty: Float = 0
    if kinds[0] == .small, word[0] >= 0x80 { penalty -= 4 }
    for place in 1..<word.count {
      let isPlain = word[place - 1] < 0x80 && word[place] < 0x80
      if kinds[place - 1] == .small, kinds[place] == .capital, !isPlain,
        !Self.prefixes.contains(Array(word[..<place]))
      {
        penalty -= 6
      }
      if place > 1, kinds[place - 2] == .capital, kinds[place - 1] == .capital,
        kinds[place] == .small, !isPlain || word[place - 2] >= 0x80
      {
        penalty -= 4
      }
    }
    return penalty
  }

  /// Ideographs and letters are different words.
  private func mixture(_ kinds: [ScalarKinds.Kind]) -> Float {
    func isLetter(_ kind: ScalarKinds.Kind) -> Bool { [.capital, .small, .letter].contains(kind) }
    return zip(kinds, kinds.dropFirst()).reduce(0) { penalty, pair in
      let isMixed =
        pair.0 == .ideograph && isLetter(pair.1) || isLetter(pair.0) && pair.1 == .ideograph
      return isMixed ? penalty - 6 : penalty
    }
  }
}
