/// The departments that the row last written lies in, outermost first.
///
/// Rows that are left out (a person's departments where only people are written) are missing here
/// too: then what is written hangs on the nearest department that is.
struct OpenDepartments<Value> {
  private var open: [(depth: Int, value: Value)] = []

  /// How many departments the next row lies in.
  var count: Int { open.count }
  var innermost: Value? { open.last?.value }

  /// Leaves the departments that a row of a depth is not in.
  mutating func leave(for depth: Int) {
    while let last = open.last, last.depth >= depth { open.removeLast() }
  }

  mutating func enter(_ value: Value, depth: Int) { open.append((depth, value)) }
}
