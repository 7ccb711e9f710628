import Platform

/// The languages of a list: the shares that make its words likeliest.
struct LanguageMixture {
  /// How likely the words are, a natural logarithm.
  let likelihood: Double
  /// The same of the encoding among lists of these languages.
  let weight: Double

  private static let rounds = 10
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
    let base = Self.normalized(allowed.map { exp(Double(weights[$0])) })
    var shares = base
    for _ in 0..<Self.rounds { shares = Self.improved(shares, base, rows) }
    let width = allowed.count
    var row = 0
    while row < rows.count {
      var chance = 0.0
      for language in 0..<width { chance += shares[language] * Double(rows[row + language]) }
      likelihood += log(max(chance, 1e-300))
      row += width
    }
    self.likelihood = likelihood
    weight = log(zip(shares, allowed).reduce(0) { $0 + $1.0 * exp(Double(weights[$1.1])) })
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
      if page.languages.contains(models.codes[language]) || models.codes[language] == "en" {
        return page.weight
      }
      return models.scripts[language] == .latin ? page.weight + foreign : -.infinity
    }
  }
}
