import DirectoryModel
import Testing

@Suite("The limits of the directory")
struct DirectoryLimitsTests {
  @Test func `ranges of what is invisible rise and are disjoint`() {
    let ranges = DirectoryLimits.invisible
    for (range, next) in zip(ranges, ranges.dropFirst()) {
      #expect(range.upperBound < next.lowerBound, "\(range) and \(next)")
    }
  }

  @Test func `a name of letters, digits, signs or pictures is visible`() {
    for scalar in "aZ9é.-_ßЖ中ゐ한अกa١👩\u{301}\u{1D51E}".unicodeScalars {
      #expect(DirectoryLimits.isVisible(scalar), "U+\(String(scalar.value, radix: 16))")
    }
  }

  /// Controls of shorthand and of musical notation, in no script that names are written in.
  private static let notationControls: [ClosedRange<UInt32>] = [
    0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
  ]

  @Test func `white space, controls and what may be ignored are invisible`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if Self.notationControls.contains(where: { $0.contains(value) }) { continue }
      let properties = scalar.properties
      if properties.isWhitespace || properties.generalCategory == .control
        || properties.isDefaultIgnorableCodePoint
      {
        #expect(!DirectoryLimits.isVisible(scalar), "U+\(String(value, radix: 16))")
      }
    }
  }

  @Test func `what is invisible is never a letter with a shape, a digit or a mark to see`() {
    // Fillers are letters by category and blank on the page; Braille blank is a symbol.
    let blanks: Set<UInt32> = [0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800]
    for value in DirectoryLimits.invisible.joined() where !blanks.contains(value) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      switch scalar.properties.generalCategory {
      case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned:
        continue
      case .nonspacingMark where scalar.properties.isDefaultIgnorableCodePoint: continue
      case let category: Issue.record("U+\(String(value, radix: 16)) is \(category)")
      }
    }
  }
}
