import DirectoryModel

/// What differs between two times.
package struct Differences: Sendable {
  package var records: [Difference]
  /// Rules of who may see whom, and people in their groups.
  package var rules: [VisibilityChange]

  package var isEmpty: Bool { records.isEmpty && rules.isEmpty }
}

/// A change as a report tells it: what it comes to, and the change itself.
package struct Difference: Sendable {
  /// The first that applies.
  package enum Category: String, Sendable, CaseIterable {
    case joined, left, promoted, moved, renamed, reorganised, changed, forgotten

    var heading: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
  }

  package var category: Category
  package var change: Change

  init(_ change: Change) {
    self.change = change
    category = Self.category(of: change)
  }

  private static func category(of change: Change) -> Category {
    if change.isForgotten { return .forgotten }
    if change.kind == .department {
      if change.action != .changed { return .reorganised }
      return hasOtherName(change) ? .renamed : .changed
    }
    switch change.action {
    case .added: return .joined
    case .removed: return .left
    case .moved, .changed:
      if isPromoted(change) { return .promoted }
      if change.action == .moved { return .moved }
      return hasOtherName(change) ? .renamed : .changed
    }
  }

  private static func hasOtherName(_ change: Change) -> Bool {
    change.before?.name.utf8.elementsEqual((change.after?.name ?? "").utf8) == false
  }

  /// Whether the person leads a department now that they did not lead.
  private static func isPromoted(_ change: Change) -> Bool {
    let former = led(change.before)
    return led(change.after).contains { !former.contains($0) }
  }

  private static func led(_ state: Change.State?) -> Set<DepartmentID> {
    guard let index = RecordKind.membership.valueColumns.firstIndex(of: .leads) else { return [] }
    let memberships = state?.memberships.filter { $0.values[index] == "true" } ?? []
    return Set(memberships.map(\.place.id))
  }

  /// By category, departments first, then by name and id.
  static func precedes(_ left: Difference, _ right: Difference) -> Bool {
    let (a, b) = (left.category.place, right.category.place)
    if a != b { return a < b }
    if left.change.kind != right.change.kind { return left.change.kind == .department }
    let (one, other) = (left.change.name, right.change.name)
    return one.utf8.elementsEqual(other.utf8)
      ? left.change.id.utf8.lexicographicallyPrecedes(right.change.id.utf8)
      : one.utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension Difference.Category {
  fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
