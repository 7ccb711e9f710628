import DirectoryModel

/// Where a difference lies; what it says is looked up when it is told.
struct DetectedChange: Sendable {
  /// No row.
  static let none: Int32 = -1

  var isDepartment: Bool
  var action: Change.Action
  /// A row of the stored state, or `none`.
  var old: Int32
  /// A row of the new state as `ComparedStates` numbers them, or `none`.
  var new: Int32

  init(_ kind: RecordKind, _ action: Change.Action, old: Int? = nil, new: Int? = nil) {
    isDepartment = kind == .department
    self.action = action
    self.old = old.map { Int32(truncatingIfNeeded: $0) } ?? Self.none
    self.new = new.map { Int32(truncatingIfNeeded: $0) } ?? Self.none
  }
}

/// The stored state and the new one, from which changes are told.
protocol ComparedStates: Sendable {
  func id(of change: DetectedChange) -> String
  func name(of change: DetectedChange) -> String
  /// The new one, or the stored one where there is none; `nil` without either.
  func identity(of change: DetectedChange) -> RecordIdentity?
  /// The stored side; called where `old` is a row.
  func before(_ change: DetectedChange) -> Change.State
  /// The new side; called where `new` is a row.
  func after(_ change: DetectedChange) -> Change.State
}

/// The departments and people that differ: departments first, then by action, name and id.
///
/// A change is made when the sequence comes to it, so that a million of them need 12 bytes each and not
/// their texts. It keeps both states alive.
package struct DetectedChanges: Sequence, Sendable {
  private let sides: (any ComparedStates)?
  private var found: [DetectedChange] = []

  init(_ sides: (any ComparedStates)?) { self.sides = sides }

  package var count: Int { found.count }

  mutating func append(_ change: DetectedChange) { found.append(change) }

  /// Brings them in order as it begins.
  ///
  /// - Complexity: O(changes · log changes), and O(1) names at a time.
  package func makeIterator() -> some IteratorProtocol<Change> {
    sorted(found).lazy.map { change($0) }.makeIterator()
  }

  /// The first ones found of what is removed, in order.
  ///
  /// - Complexity: O(changes).
  package func removed(atMost limit: Int) -> [Change] {
    sorted(Array(found.lazy.filter { $0.action == .removed }.prefix(limit))).map { change($0) }
  }

  private func change(_ found: DetectedChange) -> Change {
    guard let sides else { preconditionFailure("a change of nothing") }
    return Change(
      kind: found.isDepartment ? .department : .user,
      action: found.action,
      id: sides.id(of: found),
      before: found.old == DetectedChange.none ? nil : sides.before(found),
      after: found.new == DetectedChange.none ? nil : sides.after(found),
      identity: sides.identity(of: found)
    )
  }

  /// Most names differ in their first eight bytes, so few are made more than once.
  private func sorted(_ found: [DetectedChange]) -> [DetectedChange] {
    guard let sides else { return [] }
    let keyed = found.map { (change: $0, key: Self.key(sides.name(of: $0))) }
    return keyed.sorted { left, right in
      let (a, b) = (left.change, right.change)
      if a.isDepartment != b.isDepartment { return a.isDepartment }
      if a.action != b.action { return a.action.weight < b.action.weight }
      if left.key != right.key { return left.key < right.key }
      return Self.precedes(sides.name(of: a), sides.name(of: b))
        ?? Self.precedes(sides.id(of: a), sides.id(of: b)) ?? false
    }.map(\.change)
  }

  /// The first eight bytes of a text, as a number that orders as they do.
  private static func key(_ text: String) -> UInt64 {
    var key: UInt64 = 0
    var shift = 64
    for byte in text.utf8.prefix(8) {
      shift -= 8
      key |= UInt64(byte) << UInt64(shift)
    }
    return key
  }

  /// Whether a text stands first, byte for byte; `nil` where both are the same.
  private static func precedes(_ left: String, _ right: String) -> Bool? {
    left.utf8.elementsEqual(right.utf8)
      ? nil : left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension Change.Action {
  fileprivate var weight: Int {
    switch self {
    case .added: 0
    case .changed: 1
    case .moved: 2
    case .removed: 3
    }
  }
}
