import DirectoryModel

/// What is wrong with the characters of a name.
enum NameChecks {
  typealias Index = String.UnicodeScalarView.Index

  /// Characters that no one sees and no script needs where they stand.
  ///
  /// Blanks of all widths are seen. A joiner or non-joiner between letters of a script that joins,
  /// a variation selector behind what it varies, and the parts of an emoji are needed.
  static func hiddenScalars(in name: String) -> [Index] {
    let scalars = name.unicodeScalars
    return scalars.indices.filter { index in
      let scalar = scalars[index]
      guard !DirectoryLimits.isVisible(scalar), !isBlank(scalar) else { return false }
      let before = index > scalars.startIndex ? scalars[scalars.index(before: index)] : nil
      let next = scalars.index(after: index)
      return !isNeeded(scalar, before, next < scalars.endIndex ? scalars[next] : nil)
    }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .spaceSeparator
  }

  private static func isNeeded(
    _ scalar: Unicode.Scalar,
    _ before: Unicode.Scalar?,
    _ after: Unicode.Scalar?
  ) -> Bool {
    guard let before, before.value > 0xFF else { return false }
    switch scalar.value {
    case 0x200C, 0x200D:
      // Latin, Greek and Cyrillic letters are never joined.
      return !isEuropean(before) && (after.map { !isEuropean($0) } ?? true)
    case 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0x180B...0x180F: return true
    case 0xE0020...0xE007F: return before.value >= 0x1F3F4
    default: return false
    }
  }

  private static func isEuropean(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII || script(of: scalar) != nil
  }

  private enum Script: String {
    case latin = "Latin"
    case greek = "Greek"
    case cyrillic = "Cyrillic"
  }

  /// Of letters that look like those of another of these scripts; `nil` for all others.
  private static func script(of scalar: Unicode.Scalar) -> Script? {
    switch scalar.value {
    case 0x41...0x5A, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F, 0x1E00...0x1EFF: .latin
    case 0x370...0x373, 0x376...0x377, 0x37B...0x37D, 0x37F, 0x386, 0x388...0x3FF, 0x1F00...0x1FFF:
      .greek
    case 0x400...0x481, 0x48A...0x52F, 0x1C80...0x1C88, 0xA640...0xA66E, 0xA680...0xA69D: .cyrillic
    default: nil
    }
  }

  /// The first word with letters of two of these scripts, and which.
  static func mixedWord(in name: String) -> (word: String, scripts: String)? {
    var word = ""
    var found: [Script] = []
    for scalar in name.unicodeScalars {
      guard scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark
      else {
        if found.count > 1 { break }
        (word, found) = ("", [])
        continue
      }
      word.unicodeScalars.append(scalar)
      if let script = script(of: scalar), !found.contains(script) { found.append(script) }
    }
    guard found.count > 1 else { return nil }
    return (word, found.map(\.rawValue).joined(separator: " and ") + " letters")
  }
}
