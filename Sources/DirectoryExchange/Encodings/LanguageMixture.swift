import Platform

/// The languages of a list: the shares that make its words likeliest.
struct LanguageMixture {
  /// How likely the words are, a natural logarithm.
  let likelihood: Double
  /// The same of the encoding among lists of these languages.
  let weight: Double

  private static let rounds = 10
  /// Words that each language counts for beforehand.
  private static let rareness = 0.1
  /// What a language outside those of an encoding costs.
  private static let foreign: Float = -6

  /// - Parameters:
  ///   - scores: For each word the score of each language.
  ///   - page: The encoding in which they are.
  ///
  /// - Complexity: O(words × languages).
  init(_ scores: [[Float]], _ page: CodePage) {
    let weights = Self.weights(page)
    var rows: [Float] = []
    var likelihood = 0.0
    let allowed = weights.indices.filter { weights[$0] > -.infinity }
    for word in scores {
      let best = allowed.map { word[$0] }.max() ?? 0
      likelihood += Double(best)
      for language in allowed { rows.append(Float(exp(Double(word[language] - best)))) }
    }
    let base = [Double](repeating: Self.rareness, count: allowed.count)
    var shares = Self.normalized(base)
    for _ in 0..<Self.rounds { shares = Self.improved(shares, base, rows) }
    let width = allowed.count
    var found = [Double](repeating: 0, count: width)
    var row = 0
    while row < rows.count {
      var chance = 0.0
      for language in 0..<width { chance += shares[language] * Double(rows[row + language]) }
      row += width
      guard chance > 0 else { continue }
      likelihood += log(chance)
      for language in 0..<width {
        let part = shares[language] * Double(rows[row - width + language]) / chance
        found[language] += part
        likelihood -= part * log(shares[language])
      }
    }
    // A language costs the more the fewer of the words are in it (Dirichlet-multinomial distribution).
    for language in 0..<width {
      likelihood += lgamma(base[language] + found[language]) - lgamma(base[language])
    }
    likelihood -= lgamma(Self.rareness * Double(weights.count) + found.reduce(0, +))
    self.likelihood = likelihood
    // Of the words alone: a list without a word of the encoding's languages is hardly in it.
    let words = found.reduce(1e-9, +)
    weight = log(
      zip(found, allowed).reduce(1e-9) { $0 + $1.0 / words * exp(Double(weights[$1.1])) }
    )
  }

  /// A step of expectation maximization; `base` counts as one word.
  private static func improved(_ shares: [Double], _ base: [Double], _ rows: [Float]) -> [Double] {
    let width = shares.count
    var counts = base
    var row = 0
    while row < rows.count {
      var chance = 0.0
      for language in 0..<width { chance += shares[language] * Double(rows[row + language]) }
      if chance > 0 {
        for language in 0..<width {
          counts[language] += shares[language] * Double(rows[row + language]) / chance
        }
      }
      row += width
    }
    return normalized(counts)
  }

  private static func normalized(_ values: [Double]) -> [Double] {
    let sum = values.reduce(0, +)
    return values.map { $0 / sum }
  }

  /// How common each language is in an encoding; other languages of Latin letters have words without
  /// accents in all of them.
  private static func weights(_ page: CodePage) -> [Float] {
    let models = LanguageModels.all
    return models.codes.indices.map { language in
      if page.languages.contains(models.codes[language]) { return page.weight }
      return models.scripts[language] == .latin ? page.weight + foreign : -.infinity
    }
  }
}
