import DirectoryModel
import Platform

/// The first thing in a run of bytes that text must not hold.
enum TextError: Equatable {
  case nul(at: Int)
  /// The byte at this offset begins or continues no character.
  case notUTF8(at: Int)
  /// The bytes end inside the character that begins at this offset.
  case cut(at: Int)

  /// Checks for NUL and for well-formed UTF-8, strictly: no overlong form, no surrogate, nothing
  /// beyond U+10FFFF (The Unicode Standard, table 3-7).
  ///
  /// - Complexity: O(n).
  static func first(in bytes: UnsafeRawBufferPointer) -> TextError? {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return nil }
    let nul = memchr(base, 0, bytes.count).map { UnsafeRawPointer($0) - base }
    do {
      _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
    } catch {
      let offsets = error.byteOffsets
      if let nul, nul < offsets.lowerBound { return .nul(at: nul) }
      let isCut = error.kind == .truncatedScalar && offsets.upperBound == bytes.count
      return isCut ? .cut(at: offsets.lowerBound) : .notUTF8(at: offsets.lowerBound)
    }
    return nul.map { .nul(at: $0) }
  }
}

extension TextError {
  /// What is wrong, and where in the value.
  func reason(in value: some Collection<UInt8>) -> String {
    switch self {
    case .nul(let at): "contains a NUL at byte \(at + 1) of the value"
    case .notUTF8(let at), .cut(let at): "is not UTF-8 at byte \(at + 1) of the value"
    }
  }

  /// What to do about it.
  var advice: Advice? {
    switch self {
    case .nul: nil
    case .notUTF8, .cut: "if the file is in another encoding, name it with \(.encoding)"
    }
  }
}
