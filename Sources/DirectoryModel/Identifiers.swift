/// An id as the database keeps it: text that is equal only byte for byte.
///
/// `String ==` merges composed and decomposed forms; ids never do, so equality, order and hash
/// all go by UTF-8. That order is the order of code points, and of PostgreSQL's collation "C".
package protocol DirectoryIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  var rawValue: String { get }
  init(_ rawValue: String)
}

extension DirectoryIdentifier {
  package static func == (left: Self, right: Self) -> Bool {
    left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    // At once: byte by byte takes many times as long.
    var text = rawValue
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }

  package var description: String { rawValue }
}

/// The id of a department.
package struct DepartmentID: DirectoryIdentifier {
  package let rawValue: String
  package init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The id of a user.
package struct UserID: DirectoryIdentifier {
  package let rawValue: String
  package init(_ rawValue: String) { self.rawValue = rawValue }
}
