import Dispatch
import Outlines
import Synchronization
import Testing

/// The code of the article "A scrolling list".
@MainActor
private final class PlaceList {
  struct Place: Identifiable, Sendable, Equatable {
    let id: String
    var places: [Place]?
  }

  var outline: Outline<Place>
  let loader: OutlineLoader<Place>
  private(set) var searching: Task<Void, any Error>?
  private(set) var list: [String]

  init(_ outline: Outline<Place>, load: @escaping @Sendable (String) -> [Place] = { _ in [] }) {
    self.outline = outline
    list = outline.rows.map(\.id)
    loader = OutlineLoader { id in load(id) }
  }

  func follow(_ changes: RowChanges) {
    changes.apply(to: &list) { outline.rows[$0].id }
  }

  @concurrent
  func find(
    _ matches: @escaping @Sendable (Place) -> Bool,
    in outline: Outline<Place>
  ) async throws -> OutlineMatches {
    try outline.matches(where: matches)
  }

  func search(_ matches: @escaping @Sendable (Place) -> Bool) {
    searching?.cancel()
    searching = Task {
      do {
        let found = try await find(matches, in: outline)
        follow(try outline.setFilter(found))
      } catch OutlineError<String>.staleMatches {
        search(matches)
      }
    }
  }

  func open(_ id: String) async throws {
    switch outline.childrenState(of: id) {
    case .notLoaded, .failed:
      follow(try outline.beginLoading(id))
      let children = await loader.result(of: id)
      follow(try outline.finishLoading(id, children, areGroups: { $0.places != nil }))
    default:
      follow(outline.expand(id))
    }
  }

  func readAgain(_ id: String) async throws {
    follow(try outline.beginReloading(id))
    await loader.forget(id)
    let children = await loader.result(of: id)
    follow(try outline.finishReloading(id, children, areGroups: { $0.places != nil }))
  }
}

@Suite("The scrolling list")
@MainActor
struct ScrollingListTests {
  private typealias Place = PlaceList.Place

  /// The search goes on only when the main actor has done something meanwhile.
  @Test(.timeLimit(.minutes(40)))
  func `is not held up by a search`() async throws {
    let list = PlaceList(try Outline(levels: [0, 0], values: [Place(id: "a"), Place(id: "b")]))
    let typing = DispatchSemaphore(value: 0)
    list.search { place in
      typing.wait()
      typing.signal()
      return place.id == "b"
    }
    let searching = try #require(list.searching)
    Task { typing.signal() }
    try await searching.value
    #expect(list.list == ["b"])
    #expect(list.outline.matchingIDs == ["b"])
  }

  @Test func `loads nested folders level by level, and reads them again`() async throws {
    let requests = Mutex<[String]>([])
    var outline = try Outline(nested: [Place(id: "Canada", places: [])], children: \.places)
    try outline.setNotLoaded("Canada")
    let list = PlaceList(outline) { id in
      let isAgain = requests.withLock { requests in
        defer { requests.append(id) }
        return requests.contains(id)
      }
      let ontario = Place(id: "Ontario", places: [])
      if id == "Ontario" { return [Place(id: "Ottawa")] }
      return isAgain ? [Place(id: "Nunavut", places: []), ontario] : [Place(id: "Yukon"), ontario]
    }
    try await list.open("Canada")
    #expect(list.list == ["Canada", "Yukon", "Ontario"])
    #expect(list.outline.childrenState(of: "Ontario") == .notLoaded)
    try await list.open("Ontario")
    try await list.readAgain("Canada")
    #expect(list.list == ["Canada", "Nunavut", "Ontario", "Ottawa"])
    #expect(list.outline.childrenState(of: "Nunavut") == .notLoaded)
    #expect(requests.withLock { $0 } == ["Canada", "Ontario", "Canada"])
  }
}
