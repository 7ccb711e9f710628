import CICU

/// What drawing and folding need to know of a scalar, from ICU's property tables.
struct ScalarTraits: BitwiseCopyable, Sendable {
  private var bits: UInt32

  /// Columns on a terminal when the scalar stands alone: 0, 1 or 2.
  var columns: Int { Int(bits & 3) }
  /// The same where the terminal draws characters of ambiguous width in two columns.
  func columns(ambiguousIsWide: Bool) -> Int {
    ambiguousIsWide && columns == 1 && has(.ambiguous) ? 2 : columns
  }
  /// A grapheme cluster of its own beside any other scalar that stands alone.
  var standsAlone: Bool { has(.standsAlone) }
  /// A mark that only ever joins the cluster of its base and takes no column.
  var joinsBase: Bool { has(.joinsBase) }
  /// Drawn as a picture two columns wide when variation selector 16 follows.
  var isEmoji: Bool { has(.emoji) }
  var isPictographic: Bool { has(.pictographic) }
  /// Of bidirectional class R, AL or AN: it can reorder what stands beside it.
  var isRightToLeft: Bool { has(.rightToLeft) }
  /// Not safe or not visible on a line of text: ``VisibleText`` shows it as a sign.
  var isHidden: Bool { has(.hidden) }
  /// A mark of any kind.
  var isMark: Bool { has(.mark) }
  /// A mark that folding removes after a base whose marks are diacritics.
  var isDiacritic: Bool { has(.diacritic) }
  /// Marks after this base are diacritics, not letters.
  var marksAreDiacritics: Bool { has(.marksAreDiacritics) }
  /// Its folding does not depend on what stands before it.
  var foldsAlone: Bool { has(.foldsAlone) }
  var isDash: Bool { has(.dash) }
  var isWhiteSpace: Bool { has(.whiteSpace) }
  /// A control or format character that folding drops.
  var isDroppedByFolding: Bool { has(.dropped) }
  /// The value of a decimal digit of any script.
  var digit: UInt8? {
    let value = UInt8(truncatingIfNeeded: bits >> 24)
    return value == 0 ? nil : value - 1
  }

  private enum Flag: UInt32 {
    case standsAlone = 0x4
    case emoji = 0x8
    case pictographic = 0x10
    case rightToLeft = 0x20
    case hidden = 0x40
    case mark = 0x80
    case diacritic = 0x100
    case marksAreDiacritics = 0x200
    case foldsAlone = 0x400
    case dash = 0x800
    case whiteSpace = 0x1000
    case dropped = 0x2000
    case joinsBase = 0x4000
    case ambiguous = 0x8000
  }

  @inline(__always)
  private func has(_ flag: Flag) -> Bool { bits & flag.rawValue != 0 }

  private mutating func set(_ flag: Flag, _ value: Bool) {
    if value { bits |= flag.rawValue }
  }

  /// Traits of every scalar.
  static let table = ScalarTable<ScalarTraits> { ScalarTraits(scalar: $0) }

  private init(scalar: UInt32) {
    let properties = ScalarProperties(scalar)
    bits = properties.columns
    set(.standsAlone, properties.has(STAFFBOOK_STANDS_ALONE))
    set(.emoji, properties.has(STAFFBOOK_EMOJI))
    set(.pictographic, properties.has(STAFFBOOK_EXTENDED_PICTOGRAPHIC))
    set(.rightToLeft, properties.has(STAFFBOOK_RIGHT_TO_LEFT))
    set(.hidden, properties.isHidden)
    set(.mark, properties.isMark)
    set(.diacritic, properties.isDiacritic)
    set(.marksAreDiacritics, properties.has(STAFFBOOK_MARKS_ARE_DIACRITICS))
    set(.foldsAlone, properties.has(STAFFBOOK_FOLDS_ALONE))
    set(.dash, properties.has(STAFFBOOK_DASH))
    set(.whiteSpace, properties.has(STAFFBOOK_WHITE_SPACE))
    set(
      .joinsBase,
      properties.isDiacritic && !properties.has(STAFFBOOK_DEFAULT_IGNORABLE)
    )
    set(.dropped, properties.isDroppedByFolding)
    set(.ambiguous, properties.has(STAFFBOOK_AMBIGUOUS_WIDTH))
    bits |= UInt32(properties.digit + 1) << 24
  }
}

/// Our reading of the raw properties of one scalar.
private struct ScalarProperties {
  let scalar: UInt32
  let flags: UInt32
  let category: staffbook_scalar_category
  let digit: Int

  init(_ scalar: UInt32) {
    let raw = staffbook_scalar_properties_of(scalar)
    self.scalar = scalar
    flags = UInt32(raw.flags)
    category = staffbook_scalar_category(rawValue: UInt32(raw.category))
    digit = Int(raw.digit)
  }

  func has(_ flag: staffbook_scalar_flag) -> Bool { flags & flag.rawValue != 0 }

  var isMark: Bool {
    category == STAFFBOOK_NONSPACING_MARK || category == STAFFBOOK_ENCLOSING_MARK
      || category == STAFFBOOK_SPACING_MARK
  }

  private var takesNoColumn: Bool {
    switch category {
    case STAFFBOOK_NONSPACING_MARK, STAFFBOOK_ENCLOSING_MARK, STAFFBOOK_CONTROL,
      STAFFBOOK_LINE_SEPARATOR, STAFFBOOK_PARAGRAPH_SEPARATOR, STAFFBOOK_SURROGATE:
      true
    case STAFFBOOK_FORMAT where (0xFFF9...0xFFFB).contains(scalar):
      true
    default:
      has(STAFFBOOK_HANGUL_FOLLOWER)
        || (has(STAFFBOOK_DEFAULT_IGNORABLE) && scalar != Self.softHyphen
          && scalar != Self.hangulChoseongFiller)
    }
  }

  var columns: UInt32 {
    if takesNoColumn { return 0 }
    return has(STAFFBOOK_WIDE) || Self.regionalIndicators.contains(scalar) ? 2 : 1
  }

  private static var regionalIndicators: ClosedRange<UInt32> { 0x1F1E6...0x1F1FF }
  private static var softHyphen: UInt32 { 0xAD }
  private static var hangulChoseongFiller: UInt32 { 0x115F }

  /// Default ignorables that spell names: joiners, variation selectors, fillers of Hangul jamo.
  private var isIgnorableButSpells: Bool {
    switch scalar {
    case 0x200C, 0x200D, 0x034F, 0x115F, 0x1160: true
    default: has(STAFFBOOK_VARIATION_SELECTOR)
    }
  }

  var isHidden: Bool {
    switch category {
    case STAFFBOOK_CONTROL, STAFFBOOK_LINE_SEPARATOR, STAFFBOOK_PARAGRAPH_SEPARATOR,
      STAFFBOOK_SURROGATE:
      true
    case STAFFBOOK_FORMAT where !has(STAFFBOOK_DEFAULT_IGNORABLE):
      !has(STAFFBOOK_PREPENDED_MARK)
    default:
      has(STAFFBOOK_NONCHARACTER)
        || (has(STAFFBOOK_DEFAULT_IGNORABLE) && !isIgnorableButSpells)
    }
  }

  /// Of a script whose marks are diacritics; not the voicing and tone marks of kana and Han, whose
  /// script is Inherited too.
  var isDiacritic: Bool {
    guard category == STAFFBOOK_NONSPACING_MARK || category == STAFFBOOK_ENCLOSING_MARK else {
      return false
    }
    switch scalar {
    case 0x302A...0x302D, 0x3099, 0x309A: return false
    default: return has(STAFFBOOK_MARKS_ARE_DIACRITICS)
    }
  }

  var isDroppedByFolding: Bool {
    switch category {
    case STAFFBOOK_CONTROL: !has(STAFFBOOK_WHITE_SPACE)
    case STAFFBOOK_FORMAT: !has(STAFFBOOK_PREPENDED_MARK)
    default: has(STAFFBOOK_DEFAULT_IGNORABLE)
    }
  }
}
