/// A person or a department in a list.
package struct ListedRow: Sendable {
  package var name: String
  package var title: String
  /// Loses its beginning, not its end, when it is too long: the last names of a path say most.
  package var path: String
  package var email: String
  package var phone: String
  /// What a search found in the name, as offsets in its UTF-8, rising and apart.
  package var highlights: [Range<Int>] = []
  /// Lines that stand below the row.
  package var notes: [String] = []

  package init(
    name: String,
    title: String = "",
    path: String = "",
    email: String = "",
    phone: String = ""
  ) {
    self.name = name
    self.title = title
    self.path = path
    self.email = email
    self.phone = phone
  }
}

/// The columns of a list, in the order in which they are drawn.
enum ListColumn: Int, CaseIterable, Sendable {
  case name, title, path, email, phone

  /// Whether it is cut to its width; email and phone never are.
  var mayBeCut: Bool { self < .email }
  /// Whether it gives way to the others.
  var yields: Bool { self == .title || self == .path }
  /// Which end goes when it is cut.
  var cut: Lettering.Cut { self == .path ? .start : .end }
}

extension ListColumn: Comparable {
  static func < (left: ListColumn, right: ListColumn) -> Bool { left.rawValue < right.rawValue }
}
