import Seeds
import Outlines

/// What went wrong in a history, with all that is needed to see it again.
package struct HistoryFailure: Error, CustomStringConvertible {
  package let seed: UInt64
  package let size: Int
  package let step: Int
  package let kind: String
  package let what: String

  package var description: String {
    "seed \(seed), \(size) nodes, step \(step) (\(kind)): \(what)"
  }
}

/// A random outline with a random life beside the plain model, compared after each step.
package struct History {
  package let seed: UInt64
  package let size: Int
  /// Number of steps of each kind so far.
  package private(set) var counts: [String: Int] = [:]
  /// Number of edits and batches that were refused.
  package private(set) var refusals = 0

  var random: SeededGenerator
  var outline = Outline<Item>()
  var model = SlowOutline()
  private var list: [SlowRow] = []
  /// The list some steps ago, and what became of it since.
  private var past: (list: [SlowRow], changes: RowChanges) = ([], .none)
  /// The outline before the step; not always, since an edit is made in place without a copy.
  private var previous: Outline<Item>?
  private var step = 0
  private var nextID = 0

  package init(seed: UInt64, size: Int) throws {
    self.seed = seed
    self.size = size
    random = SeededGenerator(seed: seed)
    model = randomTree(count: Int.random(in: 0...size, using: &random))
    let levels = Int.random(in: 0...3, using: &random)
    outline = try build(model, expandedLevels: levels)
    model.openAll { $0.level < levels }
    list = model.rows
    past.list = list
    try check("build", .none)
  }

  /// Makes steps until there were `count` of them.
  package mutating func run(steps count: Int) throws {
    while step < count { try takeStep() }
  }

  private mutating func takeStep() throws {
    step += 1
    let kind = HistoryStep.random(using: &random)
    counts[kind.rawValue, default: 0] += 1
    previous = Int.random(in: 0..<4, using: &random) == 0 ? outline : nil
    let changes: RowChanges
    do {
      changes = try perform(kind)
    } catch let error as HistoryFailure {
      throw error
    } catch {
      throw failure(kind.rawValue, "refused what the model did: \(error)")
    }
    try check(kind.rawValue, changes)
  }

  func failure(_ kind: String, _ what: String) -> HistoryFailure {
    HistoryFailure(seed: seed, size: size, step: step, kind: kind, what: what)
  }

  mutating func noteRefusal() { refusals += 1 }

  mutating func makeItem() -> Item {
    nextID += 1
    return Item(id: nextID, text: Int.random(in: 0..<50, using: &random))
  }
}

// MARK: - Checks

extension History {
  private mutating func check(_ kind: String, _ changes: RowChanges) throws {
    let rows = model.rows
    guard outline.rowCount == rows.count else {
      throw failure(kind, "\(outline.rowCount) rows, and the model has \(rows.count)")
    }
    try checkDifference(kind, rows)
    try checkMirror(kind, changes, rows)
    try checkComposed(kind, changes, rows)
    let shown = outlineRows(0..<rows.count)
    guard shown == rows, (0..<rows.count).map({ outline.row(at: $0).id }) == rows.map(\.item.id)
    else { throw failure(kind, difference(shown, rows)) }
    if let broken = outline.brokenInvariants().first { throw failure(kind, broken) }
    try checkUnfiltered(kind)
    if step % 16 == 0 { try checkNodes(kind) }
  }

  /// A list that is told only what changed must be the same.
  private mutating func checkMirror(
    _ kind: String,
    _ changes: RowChanges,
    _ rows: [SlowRow]
  ) throws {
    try checkForm(kind, changes, from: list.count, to: rows.count)
    try checkRedrawn(kind, changes, rows)
    let outline = outline
    changes.apply(to: &list) { row in
      SlowRow(outline.rows[row], line: outline.treeLine(atRow: row))
    }
    guard list == rows else {
      throw failure(kind, "the list that follows: " + difference(list, rows) + "; \(changes)")
    }
  }

  /// The changes of several steps at once lead from the old list to the new one.
  private mutating func checkComposed(
    _ kind: String,
    _ changes: RowChanges,
    _ rows: [SlowRow]
  ) throws {
    past.changes = past.changes.followed(by: changes)
    try checkForm("composed \(kind)", past.changes, from: past.list.count, to: rows.count)
    var list = past.list
    past.changes.apply(to: &list) { rows[$0] }
    guard list == rows else {
      throw failure(kind, "composed: " + difference(list, rows) + "; \(past.changes)")
    }
    if Int.random(in: 0..<5, using: &random) == 0 { past = (rows, .none) }
  }

  /// What two outlines differ in leads from the one to the other.
  private func checkDifference(_ kind: String, _ rows: [SlowRow]) throws {
    guard let previous else { return }
    let changes = previous.rowChanges(to: outline)
    try checkForm("difference \(kind)", changes, from: list.count, to: rows.count)
    var list = list
    changes.apply(to: &list) { rows[$0] }
    guard list == rows else {
      throw failure(kind, "by difference: " + difference(list, rows) + "; \(changes)")
    }
  }

  /// What comes or goes redraws no row that looks as it did.
  private func checkRedrawn(_ kind: String, _ changes: RowChanges, _ rows: [SlowRow]) throws {
    guard HistoryStep(rawValue: kind)?.isExact ?? false else { return }
    let before = Dictionary(uniqueKeysWithValues: list.map { ($0.item.id, $0) })
    // A group that is not loaded looks closed whether it has children or not.
    let same = changes.redrawn.joined().filter {
      rows[$0].loading == .loaded && before[rows[$0].item.id] == rows[$0]
    }
    guard same.isEmpty else { throw failure(kind, "redrawn and the same: \(same)") }
  }

  private func checkForm(
    _ kind: String,
    _ changes: RowChanges,
    from oldCount: Int,
    to newCount: Int
  ) throws {
    func isInOrder(_ ranges: [Range<Int>], below count: Int) -> Bool {
      ranges.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= count }
        && zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
    }
    let removed = changes.removed.joined().count
    let inserted = changes.inserted.joined().count
    guard
      isInOrder(changes.removed, below: oldCount),
      isInOrder(changes.inserted, below: newCount),
      isInOrder(changes.redrawn, below: newCount),
      changes.moved.allSatisfy({ $0.from.count == $0.to.count }),
      oldCount - removed + inserted == newCount
    else { throw failure(kind, "changes out of form: \(changes)") }
  }

  private func outlineRows(_ range: Range<Int>) -> [SlowRow] {
    zip(range, outline.rows[range]).map { SlowRow($1, line: outline.treeLine(atRow: $0)) }
  }

  private func difference(_ got: [SlowRow], _ wanted: [SlowRow]) -> String {
    let row = zip(got, wanted).enumerated().first { $1.0 != $1.1 }?.offset
    guard let row else { return "\(got.count) rows instead of \(wanted.count)" }
    return "row \(row) is \(got[row]) instead of \(wanted[row])"
  }

  /// What a filter hides is the same too.
  private func checkUnfiltered(_ kind: String) throws {
    guard model.isFiltered else { return }
    let model = model.copy()
    var outline = outline
    model.clearFilter()
    outline.clearFilter()
    let (shown, rows) = (outline.rows.map(\.id), model.rows.map(\.item.id))
    guard shown == rows else { throw failure(kind, "without the filter \(shown), not \(rows)") }
  }

  /// Everything that can be asked of a node.
  private func checkNodes(_ kind: String) throws {
    let nodes = model.all
    let positions = Dictionary(
      uniqueKeysWithValues: nodes.enumerated().map { ($1.item.id, $0) }
    )
    let matches = model.isFiltered ? nodes.filter(\.isMatch).map(\.item.id) : []
    guard outline.matchingIDs == matches else { throw failure(kind, "other matches") }
    let rows = Dictionary(
      uniqueKeysWithValues: model.rows.enumerated().map { ($1.item.id, $0) }
    )
    for (position, slow) in nodes.enumerated() {
      guard let node = outline[slow.item.id] else { throw failure(kind, "lost \(slow.item)") }
      let path = (slow.ancestors.reversed() + [slow]).map(\.item.id)
      let isSame =
        node.position == position && node.value == slow.item && node.level == slow.level
        && node.parent?.id == slow.parent?.item.id && node.isGroup == slow.isGroup
        && node.children.map(\.id) == slow.children.map(\.item.id)
        && node.siblings.map(\.id) == model.siblings(of: slow).map(\.item.id)
        && node.path.map(\.id) == path && node.descendantCount == slow.below.count
        && node.childIndex == model.siblings(of: slow).firstIndex { $0 === slow }
        && node.isLastSibling == (model.siblings(of: slow).last === slow)
        && node.disclosure == model.disclosure(of: slow)
        && node.place == place(of: slow, rows, positions)
        && outline.state.nearestVisible(position) == nearestVisible(slow, rows, positions)
      guard isSame else { throw failure(kind, "other answers about \(slow.item)") }
    }
  }

  private func nearestVisible(
    _ node: SlowNode,
    _ rows: [Int: Int],
    _ positions: [Int: Int]
  ) -> Int? {
    ([node] + node.ancestors).first { rows[$0.item.id] != nil }.flatMap { positions[$0.item.id] }
  }

  private func place(
    of node: SlowNode,
    _ rows: [Int: Int],
    _ positions: [Int: Int]
  ) -> RowPlace {
    if let row = rows[node.item.id] { return .row(row) }
    guard model.isShown(node), let outer = nearestVisible(node, rows, positions) else {
      return .filteredOut
    }
    return .hidden(under: outer)
  }
}
