/// The limits of the directory; the database holds the same ones as CHECKs, and a test compares.
package enum DirectoryLimits {
  /// Bytes of UTF-8 in an id, at least one.
  package static let idBytes = 255
  /// Unicode scalars in a name, at least one of them visible.
  package static let nameScalars = 1_000
  /// Unicode scalars in a membership's title.
  package static let titleScalars = 1_000
  /// Unicode scalars in a value of a contact field.
  package static let contactScalars = 1_000
  /// Unicode scalars in a department's description.
  package static let descriptionScalars = 10_000
  /// Bytes of all declared fields of a record together, as `FieldValues` writes them.
  package static let fieldBytes = 65_536

  /// Whether a scalar leaves a mark on the page: not a space, control, filler or format character.
  ///
  /// The same ranges stand in the database's function `staffbook.is_visible`.
  package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    !invisible.contains { $0.contains(scalar.value) }
  }

  /// Code points that show nothing on their own, rising.
  package static let invisible: [ClosedRange<UInt32>] = [
    0x0000...0x0020, 0x007F...0x00A0, 0x00AD...0x00AD, 0x034F...0x034F, 0x061C...0x061C,
    0x115F...0x1160, 0x1680...0x1680, 0x17B4...0x17B5, 0x180B...0x180F, 0x2000...0x200F,
    0x2028...0x202F, 0x205F...0x206F, 0x2800...0x2800, 0x3000...0x3000, 0x3164...0x3164,
    0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0xE0000...0xE0FFF,
  ]
}
