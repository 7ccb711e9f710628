import OutlineModel
import Outlines
import Synchronization
import Testing

@Suite("Loading children")
struct LoadingTests {
  private struct Refused: Error, Equatable {}

  /// One group whose children are not loaded.
  private func makeOutline() throws -> Outline<Item> {
    var outline = try Outline(levels: [0], values: [Item(id: 0)], isGroup: { _ in true })
    try outline.setNotLoaded(0)
    return outline
  }

  @Test func `a group whose children are not loaded is closed, not empty`() throws {
    var outline = try makeOutline()
    #expect(outline.rows.first?.disclosure == .collapsed)
    let changes = try outline.beginLoading(0)
    #expect(changes.redrawn == [0..<1])
    guard case .loading = outline.rows.first?.childrenState else {
      Issue.record("not loading")
      return
    }
  }

  @Test func `children that came are shown, and their own are not loaded`() throws {
    var outline = try makeOutline()
    try outline.beginLoading(0)
    let changes = try outline.finishLoading(
      0,
      .success([Item(id: 1), Item(id: 2)]),
      areGroups: { $0.id == 2 }
    )
    #expect(changes.inserted == [1..<3])
    #expect(outline.rows.map(\.disclosure) == [.expanded, nil, .collapsed])
    #expect(outline.childrenState(of: 0)?.isLoaded == true)
    #expect(outline.childrenState(of: 2)?.isLoaded == false)
  }

  @Test func `a group that was closed meanwhile stays closed`() throws {
    var outline = try makeOutline()
    try outline.beginLoading(0)
    outline.collapse(0)
    try outline.finishLoading(0, .success([Item(id: 1)]))
    #expect(outline.rowCount == 1)
    #expect(outline.rows.first?.disclosure == .collapsed)
  }

  @Test func `no children make an empty group`() throws {
    var outline = try makeOutline()
    try outline.beginLoading(0)
    #expect(try outline.finishLoading(0, .success([])).redrawn == [0..<1])
    #expect(outline.rows.first?.disclosure == .empty)
  }

  @Test func `a failure closes the group, stays with it, and can be tried again`() async throws {
    let attempts = Mutex(0)
    let loader = OutlineLoader<Item> { _ in
      let attempt = attempts.withLock {
        $0 += 1
        return $0
      }
      if attempt == 1 { throw Refused() }
      return [Item(id: 7)]
    }
    var outline = try makeOutline()
    try outline.beginLoading(0)
    try outline.finishLoading(0, await loader.result(of: 0))
    guard case .failed(let error)? = outline.childrenState(of: 0) else {
      Issue.record("no failure")
      return
    }
    #expect(error is Refused)
    #expect(outline.rows.first?.disclosure == .collapsed)
    try outline.beginLoading(0)
    try outline.finishLoading(0, await loader.result(of: 0))
    #expect(outline.rows.map(\.id) == [0, 7])
  }

  @Test func `states can be compared, failures by their errors`() {
    enum Reason: Error { case gone, busy }
    struct Plain: Error { let code: Int }
    #expect(ChildrenState.loaded == .loaded && ChildrenState.loading != .notLoaded)
    #expect(ChildrenState.failed(Reason.gone) == .failed(Reason.gone))
    #expect(ChildrenState.failed(Reason.gone) != .failed(Reason.busy))
    #expect(ChildrenState.failed(Reason.gone) != .failed(Refused()))
    #expect(ChildrenState.failed(Plain(code: 1)) == .failed(Plain(code: 1)))
    #expect(ChildrenState.failed(Plain(code: 1)) != .failed(Plain(code: 2)))
  }

  @Test func `children that are read again keep what is open below them`() throws {
    var outline = try Outline(
      levels: [0, 1, 2, 1, 1],
      values: (0..<5).map { Item(id: $0) },
      expandedLevels: 9
    )
    #expect(try outline.beginReloading(0).redrawn == [0..<1])
    #expect(outline.rows.map(\.id) == [0, 1, 2, 3, 4])
    let changes = try outline.finishReloading(
      0,
      .success([Item(id: 5), Item(id: 1, text: 7), Item(id: 4)]),
      areGroups: { $0.id != 4 },
      isChanged: { $0 != $1 }
    )
    #expect(outline.rows.map(\.id) == [0, 5, 1, 2, 4])
    #expect(outline.rows.map(\.disclosure) == [.expanded, .collapsed, .expanded, nil, nil])
    #expect(outline.childrenState(of: 0) == .loaded && outline.childrenState(of: 5) == .notLoaded)
    #expect(changes.removed == [3..<4] && changes.inserted == [1..<2] && changes.moved.isEmpty)
    #expect(changes.redrawn == [0..<1, 2..<3])
  }

  @Test func `a group that cannot be read again keeps its children, and stays open`() throws {
    var outline = try Outline(
      levels: [0, 1],
      values: [Item(id: 0), Item(id: 1)],
      expandedLevels: 1
    )
    try outline.beginReloading(0)
    #expect(try outline.finishReloading(0, .failure(Refused())).redrawn == [0..<1])
    #expect(outline.childrenState(of: 0) == .failed(Refused()))
    #expect(outline.rows.map(\.id) == [0, 1])
    #expect(throws: OutlineError<Int>.duplicateID(0)) {
      try outline.finishReloading(0, .success([Item(id: 0)]))
    }
    #expect(throws: OutlineError<Int>.notAGroup(1)) { try outline.beginReloading(1) }
  }

  @Test func `concurrent requests share one load`() async throws {
    let count = Mutex(0)
    let loader = OutlineLoader<Item> { id in
      count.withLock { $0 += 1 }
      try await Task.sleep(for: .milliseconds(20))
      return [Item(id: id * 10)]
    }
    let results = try await withThrowingTaskGroup(of: [Item].self) { group in
      for request in 0..<200 { group.addTask { try await loader.children(of: request % 4) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 200)
    #expect(count.withLock { $0 } == 4)
    _ = try await loader.children(of: 1)
    #expect(count.withLock { $0 } == 4)
    await loader.forget(1)
    #expect(try await loader.children(of: 1) == [Item(id: 10)])
    #expect(count.withLock { $0 } == 5)
  }

  @Test func `all who wait hear of a failure`() async {
    let loader = OutlineLoader<Item> { _ in
      try await Task.sleep(for: .milliseconds(10))
      throw Refused()
    }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 {
        group.addTask {
          if case .failure(let error) = await loader.result(of: 1) {
            error is Refused
          } else {
            false
          }
        }
      }
      for await failed in group { #expect(failed) }
    }
  }
}

@Suite("Readers beside a writer")
struct ConcurrencyTests {
  @Test func `read their copies while the writer goes on`() async throws {
    var outline = try Outline(
      levels: (0..<2_000).map { Int32($0 % 4) },
      values: (0..<2_000).map { Item(id: $0) },
      expandedLevels: 9
    )
    let sums = try await withThrowingTaskGroup(of: (wanted: Int, got: Int).self) { group in
      for step in 0..<200 {
        let copy = outline
        let wanted = outline.rowCount
        group.addTask {
          let hits = try copy.matches { $0.id % 3 == 0 }
          return (wanted + hits.count, copy.rows.reduce(0) { sum, _ in sum + 1 } + hits.count)
        }
        try change(&outline, step)
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums.count == 200)
    #expect(sums.allSatisfy { $0.wanted == $0.got })
    #expect(outline.brokenInvariants().isEmpty)
  }

  private func change(_ outline: inout Outline<Item>, _ step: Int) throws {
    switch step % 5 {
    case 0: outline.toggle(step * 4)
    case 1: try outline.remove(step * 8 + 3)
    case 2: try outline.append(Item(id: 10_000 + step), under: step)
    case 3: try outline.move(step, under: nil)
    default: try outline.filter { $0.id % 7 == step % 7 }
    }
  }
}
