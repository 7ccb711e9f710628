import DirectoryModel
import TextRules

/// Names of a list as encodings read them.
struct ReadingExamples {
  private static let most = 3
  private static let longest = 120
  /// Cells among which some are sought that are read differently.
  private static let mostCells = 2_000

  private let cells: [[UInt8]]

  init(_ sample: TextSample) {
    var seen: Set<[UInt8]> = []
    var cells: [[UInt8]] = []
    for line in sample.lines where cells.count < Self.mostCells {
      for cell in WordSample.cells(of: line)
      where cell.count <= Self.longest && seen.insert(cell).inserted {
        cells.append(cell)
      }
    }
    self.cells = cells
  }

  /// - Parameter encodings: Names, the likeliest first.
  /// - Returns: For each the same names, some in which it differs from the others.
  func readings(_ encodings: [String]) -> [EncodingQuestion.Reading] {
    let texts = encodings.map { encoding in cells.map { Self.text($0, encoding) } }
    var places: [Int] = []
    // Each encoding differs from the best in one of them at least.
    for rival in texts.dropFirst() {
      let differing = cells.indices.first { rival[$0] != texts[0][$0] && !places.contains($0) }
      if let differing { places.append(differing) }
    }
    for place in cells.indices where places.count < Self.most && !places.contains(place) {
      if texts.contains(where: { $0[place] != texts[0][place] }) { places.append(place) }
    }
    return zip(encodings, texts).map { encoding, texts in
      EncodingQuestion.Reading(
        encoding: encoding,
        examples: places.prefix(Self.most).map { QuotedValue.text(texts[$0]) }
      )
    }
  }

  private static func text(_ cell: [UInt8], _ encoding: String) -> [UInt8] {
    var text: [UInt8] = []
    guard var decoder = TextDecoder(encoding) else { return cell }
    do {
      try cell.withUnsafeBytes { try decoder.decode($0, isLast: true, to: &text) }
    } catch {
      // A separator may be the second byte of a character.
      return text
    }
    return text
  }
}

extension EncodingQuestion {
  /// Why a file is refused that nobody says the encoding of.
  var refusal: DirectoryError {
    let names = readings.map(\.encoding).joined(separator: " or ")
    return DirectoryError(
      .badData,
      "cannot read \(QuotedValue.path(file)): its encoding may be \(names)",
      advice: """
        nothing was imported; name the encoding in which the names are right, as in \(.encoding) \
        \(readings[0].encoding)
        """,
      details: readings.map(\.text)
    )
  }
}
