import Seeds
import LibPQ
import TestSupport
import Testing

@Suite("Random moves")
struct RandomMoveTests {
  /// Few departments make many rings; more than a thousand changed rows take the other check.
  @Test(arguments: [(departments: 12, rounds: 300), (departments: 1_500, rounds: 40)])
  func `are refused exactly when they make a ring`(departments: Int, rounds: Int) async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var (accepted, refused) = (0, 0)
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        insert into staffbook.departments (id, name) select i::text, 'n'
          from generate_series(0, \(departments - 1)) i
        """
      )
      var parents = [Int?](repeating: nil, count: departments)
      for round in 0..<rounds {
        let moved = moving(parents, all: departments > 1_000, &random)
        let refusal = try await sql.refusal(of: update(from: parents, to: moved))
        let isSound = hasNoRing(moved)
        #expect((refusal == nil) == isSound, "seed \(seed), round \(round)")
        if let refusal {
          refused += 1
          #expect(refusal.sqlstate?.rawValue == "SB001")
          #expect(isRing(refusal.detail ?? "", moved), "\(refusal.detail ?? ""), seed \(seed)")
        } else {
          accepted += 1
          parents = moved
        }
      }
    }
    #expect(accepted > 0 && refused > 0, "seed \(seed): \(accepted) and \(refused)")
  }

  private func moving(
    _ parents: [Int?],
    all: Bool,
    _ random: inout SeededGenerator
  ) -> [Int?] {
    var moved = parents
    let isCareless = Bool.random(using: &random)
    let count = all ? parents.count : Int.random(in: 1...4, using: &random)
    for index in 0..<count {
      let child = all ? index : Int.random(in: 0..<parents.count, using: &random)
      moved[child] = child == 0 ? nil : Int.random(in: 0..<child, using: &random)
    }
    if isCareless {
      let parent = Int.random(in: 0..<parents.count, using: &random)
      let child = Int.random(in: 0..<parents.count, using: &random)
      moved[Bool.random(using: &random) ? child : ancestor(of: parent, moved)] = parent
    }
    return moved
  }

  /// The highest that is not yet the root; going on from it closes a ring.
  private func ancestor(of start: Int, _ parents: [Int?]) -> Int {
    var node = start
    // Bounded, since there may be a ring already.
    for _ in parents {
      guard let parent = parents[node], parents[parent] != nil else { break }
      node = parent
    }
    return node
  }

  private func update(from old: [Int?], to new: [Int?]) -> String {
    let rows = new.indices.filter { old[$0] != new[$0] }.map { child in
      "('\(child)', \(new[child].map { "'\($0)'" } ?? "null"))"
    }
    guard !rows.isEmpty else { return "select 1" }
    return """
      update staffbook.departments d set parent_id = m.parent
        from (values \(rows.joined(separator: ", "))) m(id, parent) where d.id = m.id
      """
  }

  private func hasNoRing(_ parents: [Int?]) -> Bool {
    parents.indices.allSatisfy { start in
      var node: Int? = start
      for _ in 0...parents.count {
        guard let current = node else { return true }
        node = parents[current]
      }
      return false
    }
  }

  /// Whether `3 → 7 → 3` is one.
  private func isRing(_ text: String, _ parents: [Int?]) -> Bool {
    let members = text.split(separator: " → ").map { Int($0) }
    guard members.count > 1, members.first == members.last else { return text.contains("…") }
    return zip(members, members.dropFirst()).allSatisfy { child, parent in
      child.map { parents[$0] } == parent
    }
  }
}
