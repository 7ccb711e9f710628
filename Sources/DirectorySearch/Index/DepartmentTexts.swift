import DirectorySnapshot
import OutlineEngine
import TextRules

/// The names of departments, by ordinal, and what they are found by.
struct DepartmentTexts: Sendable {
  private(set) var field = FieldBuilder(.other)
  private var texts: [UInt32]
  /// The names' initials, and by name the numbers of its own.
  private var initials = TextInterner()
  private var nameInitials = NumberLists()

  /// Reads the names of some departments, or of all.
  ///
  /// - Complexity: O(departments + bytes of the names).
  init(
    _ parts: SearchColumns,
    _ shape: DepartmentShape,
    of ordinals: some Sequence<Int>
  ) throws(SnapshotError) {
    texts = [UInt32](repeating: .max, count: shape.count)
    for ordinal in ordinals {
      let row = Int(shape.rows[ordinal])
      texts[ordinal] = UInt32(try parts.departments.names.withBytes(at: row) { add($0) })
    }
  }

  private mutating func add(_ name: UnsafeRawBufferPointer) -> Int {
    let known = field.lengths.count
    let number = field.add(name)
    guard number == known else { return number }
    var folded: [UInt8] = []
    Folding.appendFolded(name, to: &folded)
    for letters in DepartmentInitials.all(of: folded) {
      letters.withUnsafeBytes { nameInitials.append(UInt32(initials.intern($0).number)) }
    }
    nameInitials.endRun()
    return number
  }

  /// The number of a name in `field`.
  func text(of ordinal: Int) -> Int { Int(texts[ordinal]) }

  /// Characters of a folded name.
  func length(of ordinal: Int) -> UInt32 { field.lengths[text(of: ordinal)] }

  var hasOdd: Bool { field.hasOdd }

  func isOdd(_ ordinal: Int) -> Bool { field.isOdd[text(of: ordinal)] }

  /// The dictionary of all names.
  func sections() -> IndexSections {
    DictionaryWriter.sections(
      .departments,
      field,
      texts: NumberLists(texts, none: .max),
      initials: (initials, nameInitials)
    )
  }
}
