/// A person or a department in a list.
package struct ListedRow: Sendable {
  package var name: String
  package var title: String
  /// Loses its beginning, not its end, when it is too long: the last names of a path say most.
  package var path: String
  /// How a person is reached; as many in every row, and never cut.
  package var contacts: [String]
  /// What a search found in the name, as offsets in its UTF-8, rising and apart.
  package var highlights: [Range<Int>] = []
  /// Lines that stand below the row.
  package var notes: [String] = []

  package init(
    name: String,
    title: String = "",
    path: String = "",
    contacts: [String] = []
  ) {
    self.name = name
    self.title = title
    self.path = path
    self.contacts = contacts
  }
}

/// The columns of a list, in the order in which they are drawn.
struct ListColumn: RawRepresentable, Equatable, Sendable {
  let rawValue: Int

  static let name = ListColumn(rawValue: 0)
  static let title = ListColumn(rawValue: 1)
  static let path = ListColumn(rawValue: 2)
  /// Those before contacts.
  static let leading = [name, title, path]

  /// The columns of contacts, where there are so many columns in all.
  static func contacts(of count: Int) -> [ListColumn] {
    (leading.count..<max(count, leading.count)).map { ListColumn(rawValue: $0) }
  }

  /// Whether it is cut to its width; contacts never are.
  var mayBeCut: Bool { rawValue < Self.leading.count }
  /// Whether it gives way to the others.
  var yields: Bool { self == .title || self == .path }
  /// Which end goes when it is cut.
  var cut: TextRenderer.Truncation { self == .path ? .start : .end }
}
