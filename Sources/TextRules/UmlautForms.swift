/// The other ways to write a word of a query in which umlauts are typed, left out or written out.
///
/// Folding makes `muller` of Müller. So `müller` has the other form `mueller`, as it stands in data
/// without umlauts, and `mueller` the form `muller`, which Müller folds to. The pairs are ä ae, ö oe,
/// ü ue, and for Danish, Norwegian and Swedish ø oe, å aa.
package enum UmlautForms {
  /// Forms with up to this many pairs are made; a word with more keeps the first ones.
  package static let mostPairs = 4

  /// The other folded forms of a word.
  ///
  /// - Parameter word: As it was typed, not folded.
  /// - Returns: Each form once, without the one that the word folds to; at most 15.
  /// - Complexity: O(n) for each form.
  package static func forms(of word: String) -> [String] {
    let pieces = Self.pieces(of: word)
    var forms = [""]
    var pairs = 0
    for piece in pieces {
      if let other = piece.other, pairs < mostPairs {
        pairs += 1
        forms = forms.map { $0 + piece.folded } + forms.map { $0 + other }
      } else {
        forms = forms.map { $0 + piece.folded }
      }
    }
    let folded = Folding.fold(word)
    var seen: Set<String> = [folded]
    return forms.filter { seen.insert($0).inserted }
  }

  private struct Piece {
    var folded: String
    var other: String?
  }

  private static func pieces(of word: String) -> [Piece] {
    var pieces: [Piece] = []
    let letters = Array(word)
    var index = 0
    while index < letters.count {
      let next = index + 1 < letters.count ? "\(letters[index])\(letters[index + 1])" : ""
      if let short = short[next.lowercased()] {
        pieces.append(Piece(folded: next.lowercased(), other: short))
        index += 2
      } else {
        let letter = String(letters[index])
        pieces.append(Piece(folded: Folding.fold(letter), other: long[letter.lowercased()]))
        index += 1
      }
    }
    return pieces
  }

  private static let short = ["ae": "a", "oe": "o", "ue": "u", "aa": "a"]
  private static let long = ["ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"]
}
