/// A built-in field by which people are reached: each has one value of it, which may be empty.
///
/// Whoever reads, stores, compares, searches or shows people walks over `allCases`; what a field is
/// called, here and elsewhere, stands in the catalogue.
package enum ContactField: Int, CaseIterable, Sendable {
  case email, phone

  // Made once: some walk over them at every row.
  package static let allCases: [ContactField] = [.email, .phone]

  /// What the catalogue says of it.
  package var known: KnownField { KnownField.contacts[rawValue] }
  /// Its name: a column of the database and of files, a key of JSON, a word of queries.
  package var key: String { known.name }
  package var kind: FieldKind { known.kind }

  package static let keys = allCases.map(\.key)

  /// Where mail goes; it also names a person of whom nothing else does.
  package static let address = ContactField.email

  /// The field of a name.
  package init?(key: String) {
    guard let index = Self.keys.firstIndex(of: key) else { return nil }
    self.init(rawValue: index)
  }
}

/// Something for each contact field, side by side.
package struct ContactValues<Value> {
  @usableFromInline var values: InlineArray<2, Value>

  @inlinable @inline(__always)
  package init(repeating value: Value) { values = InlineArray(repeating: value) }

  /// Makes each field's value, in their order.
  @inlinable @inline(__always)
  package init<Failure: Error>(
    _ value: (ContactField) throws(Failure) -> Value
  ) throws(Failure) {
    values = try InlineArray { (index) throws(Failure) in
      try value(ContactField.allCases[index])
    }
  }

  @inlinable @inline(__always)
  package subscript(field: ContactField) -> Value {
    get { values[field.rawValue] }
    set { values[field.rawValue] = newValue }
  }

  @inlinable @inline(__always)
  package func map<Other, Failure: Error>(
    _ transform: (Value) throws(Failure) -> Other
  ) throws(Failure) -> ContactValues<Other> {
    try ContactValues<Other> { (field) throws(Failure) in try transform(self[field]) }
  }

  /// In the order of the fields.
  package var all: [Value] { ContactField.allCases.map { self[$0] } }
}

extension ContactValues: Sendable where Value: Sendable {}

extension ContactValues: Equatable where Value: Equatable {
  package static func == (left: Self, right: Self) -> Bool { left.all == right.all }
}

extension ContactValues: Hashable where Value: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

/// Fields that are left out are empty.
extension ContactValues: ExpressibleByDictionaryLiteral where Value == String {
  package init(dictionaryLiteral values: (ContactField, String)...) {
    self.init(repeating: "")
    for (field, value) in values { self[field] = value }
  }
}
