/// What was above departments at former times, where it is not what is above them now.
package struct FormerParents: Sendable {
  /// A department that was added, removed or put under another one.
  package struct Move: Sendable {
    package enum Place: Hashable, Sendable {
      /// The department was not there.
      case none
      /// By the id that the one above had then; `nil` for a root.
      case under(DepartmentID?)
    }

    /// What it is known by.
    package var department: DepartmentID
    /// Microseconds since 1970, UTC.
    package var time: Int64
    package var before: Place
    package var after: Place

    package init(_ department: DepartmentID, at time: Int64, from before: Place, to after: Place) {
      (self.department, self.time, self.before, self.after) = (department, time, before, after)
    }
  }

  private var moves: [DepartmentID: [Move]] = [:]

  /// - Parameter moves: Those of each department in the order in which they were made; that a department
  ///   was added need be among them only after it was removed. One that was removed by one id and added
  ///   by another at the same time was there throughout.
  package init(_ moves: [Move] = []) {
    for move in moves {
      if let last = self.moves[move.department]?.last, last.time == move.time {
        let before = last.before == .none ? move.before : last.before
        let after = move.after == .none ? last.after : move.after
        self.moves[move.department]?.removeLast()
        self.moves[move.department]?.append(
          Move(move.department, at: move.time, from: before, to: after)
        )
      } else {
        self.moves[move.department, default: []].append(move)
      }
    }
  }

  /// Where a department was at a time; `nil` where it has not moved since history begins.
  ///
  /// - Complexity: O(log of its moves).
  package func place(of id: DepartmentID, at time: Int64) -> Move.Place? {
    guard let moves = moves[id] else { return nil }
    var (low, high) = (0, moves.count)
    while low < high {
      let middle = (low + high) / 2
      if moves[middle].time > time { high = middle } else { low = middle + 1 }
    }
    return low < moves.count ? moves[low].before : moves.last?.after
  }

  /// When a department that was removed was there last, in microseconds; `nil` for others.
  package func end(of id: DepartmentID) -> Int64? {
    guard let last = moves[id]?.last, last.after == .none else { return nil }
    return last.time - 1
  }
}

/// Where departments were, and by which ids.
package struct FormerDepartments: Sendable {
  package var moves: [FormerParents.Move] = []
  /// Those that have ended, in the order of time.
  package var terms: [FormerHolders.Term] = []

  package init() {}
}
