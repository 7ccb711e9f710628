/// Something for each of `Field.contacts`, side by side.
package struct ContactValues<Value> {
  @usableFromInline var values: InlineArray<2, Value>

  @inlinable @inline(__always)
  package init(repeating value: Value) { values = InlineArray(repeating: value) }

  @inlinable @inline(__always)
  init(_ values: InlineArray<2, Value>) { self.values = values }

  /// Makes each field's value, in their order.
  @inlinable @inline(__always)
  package init<Failure: Error>(
    _ value: (Field) throws(Failure) -> Value
  ) throws(Failure) {
    values = try InlineArray { (index) throws(Failure) in
      try value(Field.contacts[index])
    }
  }

  /// Makes the values by their places in a list, in which the first field stands at `first`.
  package init(from first: Int, _ value: (Int) -> Value) {
    values = InlineArray { value(first + $0) }
  }

  @inlinable @inline(__always)
  package subscript(field: Field) -> Value {
    get { values[field.column ?? -1] }
    set { values[field.column ?? -1] = newValue }
  }

  @inlinable @inline(__always)
  package func map<Other, Failure: Error>(
    _ transform: (Value) throws(Failure) -> Other
  ) throws(Failure) -> ContactValues<Other> {
    let values = try InlineArray<2, Other> { (index) throws(Failure) in
      try transform(self.values[index])
    }
    return ContactValues<Other>(values)
  }

  /// In the order of the fields.
  package var all: [Value] { values.indices.map { values[$0] } }
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
  package init(dictionaryLiteral values: (Field, String)...) {
    self.init(repeating: "")
    for (field, value) in values { self[field] = value }
  }
}
