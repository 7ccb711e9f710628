import OutlineEngine

/// Loads the children of groups, each group's once.
///
/// Requests for a group whose children are on their way share one load, and later ones are answered
/// with what came. A load that failed is forgotten, so that the next request tries again. The loader
/// holds no outline; the outline that shows the children follows in three steps:
///
///     list.follow(try outline.beginLoading(id))
///     let children = await loader.result(of: id)
///     list.follow(try outline.finishLoading(id, children))
public actor OutlineLoader<Value: Identifiable & Sendable> where Value.ID: Sendable {
  private let load: @Sendable (Value.ID) async throws -> [Value]
  private var loads: [Value.ID: Task<[Value], any Error>] = [:]

  /// - Parameter load: Brings the children of the group with an id.
  /// - Complexity: O(1); nothing is loaded yet.
  public init(_ load: @escaping @Sendable (Value.ID) async throws -> [Value]) {
    self.load = load
  }

  /// The children of a group, loaded now, under way, or loaded before.
  ///
  /// A task that is cancelled while it waits does not cancel the load: others may wait for it.
  ///
  /// - Throws: What the load threw, to all who waited for it.
  /// - Complexity: O(1) expected, and what one run of the loader takes.
  public func children(of id: Value.ID) async throws -> [Value] {
    let task = loads[id] ?? start(id)
    do {
      return try await task.value
    } catch {
      // Another request may have begun the next try already.
      if loads[id] == task { loads[id] = nil }
      throw error
    }
  }

  /// The children of a group or why they did not come, as `Outline.finishLoading` wants them.
  ///
  /// - Complexity: O(1) expected, and what one run of the loader takes.
  public func result(of id: Value.ID) async -> Result<[Value], any Error> {
    do {
      return .success(try await children(of: id))
    } catch {
      return .failure(error)
    }
  }

  /// Forgets what came for a group, so that the next request loads again, and cancels a load that
  /// is under way.
  ///
  /// - Complexity: O(1), expected.
  public func forget(_ id: Value.ID) {
    loads.removeValue(forKey: id)?.cancel()
  }

  /// Not a child task: it goes on when the one who asked first is cancelled.
  private func start(_ id: Value.ID) -> Task<[Value], any Error> {
    let task = Task { [load] in try await load(id) }
    loads[id] = task
    return task
  }
}
