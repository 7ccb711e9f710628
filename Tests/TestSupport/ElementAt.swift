extension Collection {
  /// The element at a place, counted from 0; `nil` where there are fewer: a test that finds less than it
  /// expects fails, and does not trap, which would end all others.
  package subscript(at place: Int) -> Element? { dropFirst(place).first }
}
