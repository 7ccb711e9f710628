import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryReading
@testable import LiveDirectory

@Suite("The saved view as a file")
struct StoredViewTests {
  private static let hostile = [
    "", " ", "\u{0}", "\n", "\r\n", "\t", "\"", "\\", "\\u0041", "/", "../../etc", "</script>",
    "caf\u{E9}", "cafe\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{2028}", "\u{FEFF}",
    "\u{202E}x",
    "\u{FFFF}", "\u{10FFFF}", "👩‍👩‍👧", "\u{301}", "1", "null", String(repeating: "長", count: 85),
  ].map { DepartmentID($0) }

  @Test func `any id comes back byte for byte`() throws {
    for id in Self.hostile {
      let view = SavedView(expanded: [id])
      let decoded = try #require(SavedView.decode(try view.encoded()), "\(id)")
      #expect(decoded == view, "\(id)")
    }
    let all = SavedView(expanded: Set(Self.hostile))
    #expect(all.expanded.count == Self.hostile.count)
    #expect(SavedView.decode(try all.encoded()) == all)
  }

  @Test(arguments: newSeeds(5))
  func `random ids come back byte for byte`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let ids = (0..<500).map { _ in
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let value = UInt32.random(in: 0...0x10FFFF, using: &generator)
        text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
      }
      return DepartmentID(String(text))
    }
    let view = SavedView(expanded: Set(ids))
    #expect(SavedView.decode(try view.encoded()) == view, "seed \(seed)")
  }

  @Test func `the same view is the same file`() throws {
    let left = SavedView(expanded: Set(Self.hostile))
    let right = SavedView(expanded: Set(Self.hostile.shuffled()))
    #expect(try left.encoded() == right.encoded())
    #expect(try SavedView().encoded().last == UInt8(ascii: "\n"))
  }

  @Test(
    arguments: [
      "", "{", "null", "[]", "42", "\"x\"", "{}", #"{"version":1}"#, #"{"expanded":[]}"#,
      #"{"version":2,"expanded":[]}"#, #"{"version":0,"expanded":[]}"#,
      #"{"version":"1","expanded":[]}"#, #"{"version":1,"expanded":[1]}"#,
      #"{"version":1,"expanded":["a",null]}"#, #"{"version":1,"expanded":"a"}"#,
      #"{"version":1,"expanded":["a"]"#, #"{"version":1,"expanded":["\ud800"]}"#,
      #"{"version":1e400,"expanded":[]}"#,
    ]
  )
  func `anything else is nothing`(text: String) {
    #expect(SavedView.decode(Array(text.utf8)) == nil)
  }

  @Test func `garbage is nothing, however deep or long`() {
    let sound = Array(#"{"version":1,"expanded":["a","b"]}"#.utf8)
    #expect(SavedView.decode(sound)?.expanded.count == 2)
    for count in 0..<sound.count { #expect(SavedView.decode(sound[..<count]) == nil) }
    #expect(SavedView.decode([0xFF, 0xFE, 0x00] + sound) == nil)
    #expect(SavedView.decode(sound.map { $0 == UInt8(ascii: "a") ? 0xC3 : $0 }) == nil)
    #expect(SavedView.decode([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == nil)
    #expect(SavedView.decode([UInt8](repeating: 0, count: 1_000_000)) == nil)
  }
}

@Suite("Opening and closing departments in the saved view")
struct ViewChangeTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  /// root with a (with a1, a2), b, and two cafés that differ in their bytes alone.
  private func company(without missing: Set<String> = []) throws -> Directory {
    var company = Company()
    let departments: [(String, String?)] = [
      ("root", nil), ("a", "root"), ("a1", "a"), ("a2", "a1"), ("b", "root"),
      (composed, "root"), (decomposed, "root"), ("empty", "root"),
    ]
    let places = ["a2", "b", composed, decomposed]
    for (id, parent) in departments where !missing.contains(id) {
      try company.department(id, under: parent)
    }
    for place in places where !missing.contains(place) {
      try company.user("in \(place)", in: place)
    }
    return try company.directory()
  }

  private func node(_ id: String, in directory: Directory) throws -> Node {
    try #require(try directory.node(of: DepartmentID(id)))
  }

  private func expanded(_ view: SavedView) -> [String] { view.expanded.sorted().map(\.rawValue) }

  /// The ids that are open after a change.
  private func ids(
    after change: (Directory) throws -> ViewChange,
    from start: Set<String> = [],
    in directory: Directory? = nil
  ) throws -> Set<DepartmentID> {
    let directory = try directory ?? company()
    var view = SavedView(expanded: Set(start.map { DepartmentID($0) }))
    try view.apply(change(directory), to: directory)
    return view.expanded
  }

  private func ids(_ texts: String...) -> Set<DepartmentID> { Set(texts.map { DepartmentID($0) }) }

  @Test func `a first run has the roots open`() throws {
    let directory = try company()
    #expect(try SavedView.initial(levels: 1, of: directory).expanded == ids("root"))
    #expect(try SavedView.initial(levels: 0, of: directory).expanded.isEmpty)
    #expect(
      try SavedView.initial(levels: 2, of: directory).expanded
        == ids("root", "a", "b", composed, decomposed)
    )
    #expect(try SavedView.initial(levels: .max, of: directory).expanded.count == 7)
  }

  @Test func `opening a department opens what leads to it`() throws {
    #expect(
      try ids { .expand([try node("a1", in: $0)], recursive: false) } == ids("root", "a", "a1")
    )
    #expect(
      try ids { .expand([try node("a", in: $0)], recursive: true) }
        == ids("root", "a", "a1", "a2")
    )
  }

  private func ids(
    _ change: (Directory) throws -> ViewChange
  ) throws -> Set<DepartmentID> {
    try ids(after: change)
  }

  @Test func `closing keeps what is open below, unless it is recursive`() throws {
    let open: Set<String> = ["root", "a", "a1", "b"]
    #expect(
      try ids(after: { .collapse([try node("a", in: $0)], recursive: false) }, from: open)
        == ids("root", "a1", "b")
    )
    #expect(
      try ids(after: { .collapse([try node("a", in: $0)], recursive: true) }, from: open)
        == ids("root", "b")
    )
  }

  @Test func `all can be opened and closed, and exactly the first levels`() throws {
    let all = ids("root", "a", "a1", "a2", "b", composed, decomposed)
    #expect(try ids(after: { _ in .expandAll }) == all)
    #expect(try ids(after: { _ in .collapseAll }, from: ["root", "a1", "b"]).isEmpty)
    #expect(
      try ids(after: { _ in .levels(1) }, from: ["a1", "b"]) == ids("root")
    )
    #expect(try ids(after: { _ in .levels(0) }, from: ["root", "b"]).isEmpty)
    #expect(try ids(after: { _ in .levels(.max) }) == all)
  }

  @Test func `composed and decomposed ids open apart`() throws {
    #expect(
      try ids { .expand([try node(composed, in: $0)], recursive: false) } == ids("root", composed)
    )
    #expect(
      try ids(
        after: { .collapse([try node(decomposed, in: $0)], recursive: false) },
        from: ["root", composed, decomposed].reduce(into: []) { $0.insert($1) }
      ).contains(DepartmentID(decomposed)) == false
    )
    let directory = try company()
    var view = SavedView(expanded: ids("root", composed, decomposed))
    try view.apply(.collapse([try node(composed, in: directory)], recursive: false), to: directory)
    #expect(view.expanded == ids("root", decomposed))
  }

  @Test(arguments: [0, 1, 2, 3, 4])
  func `an id that vanished is kept through every change`(index: Int) throws {
    let smaller = try company(without: ["b", composed])
    let root = try node("root", in: smaller)
    let changes: [ViewChange] = [
      .expandAll, .collapseAll, .levels(1), .expand([root], recursive: true),
      .collapse([root], recursive: true),
    ]
    var view = SavedView(expanded: ids("root", "b", composed, decomposed))
    try view.apply(changes[index], to: smaller)
    #expect(view.expanded.isSuperset(of: ids("b", composed)))
    // It is open again when it comes back.
    let whole = try company()
    let nodes = try view.nodes(in: whole).open
    #expect(nodes.contains(try node("b", in: whole).position))
  }

  @Test func `an id whose department lost its children is kept too`() throws {
    var view = SavedView(expanded: ids("root", "empty"))
    let directory = try company()
    try view.apply(.expand([try node("a", in: directory)], recursive: false), to: directory)
    #expect(view.expanded == ids("root", "empty", "a"))
  }

  @Test func `nothing changes an empty directory's view`() throws {
    let directory = try Company().directory()
    for change in [ViewChange.expandAll, .collapseAll, .levels(3)] {
      var view = SavedView(expanded: ids("gone"))
      try view.apply(change, to: directory)
      #expect(view.expanded == ids("gone"))
    }
    #expect(try SavedView.initial(levels: 1, of: directory).expanded.isEmpty)
  }
}

@Suite("The saved view on disk")
struct ViewStoreTests {
  private func load(_ store: ViewStore) -> (view: SavedView?, notices: [String]) {
    var notices: [String] = []
    let view = store.load { notices.append($0) }
    return (view, notices)
  }

  @Test func `what was saved is what is loaded`() async throws {
    let scratch = try ScratchFolder()
    let store = ViewStore(folder: scratch.path.appending("new/folder"))
    let lock = try await store.lock {}
    for ids in [["a", "b"], [], ["cafe\u{301}", "caf\u{E9}"]] {
      let view = SavedView(expanded: Set(ids.map { DepartmentID($0) }))
      try store.save(view)
      let (loaded, notices) = load(store)
      #expect(loaded == view)
      #expect(notices.isEmpty)
    }
    _ = consume lock
    #expect(try permissions(of: store.folder) == 0o700)
    #expect(try permissions(of: store.folder.appending("view.json")) == 0o600)
  }

  @Test func `without a file there is no view and nothing to say`() throws {
    let scratch = try ScratchFolder()
    let (view, notices) = load(ViewStore(folder: scratch.path.appending("nowhere")))
    #expect(view == nil)
    #expect(notices.isEmpty)
  }

  @Test(arguments: ["", "garbage", #"{"version":9,"expanded":[]}"#, "\u{0}\u{0}"])
  func `a damaged file is no view and a notice that names it, and is soon replaced`(
    text: String
  ) throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write(Array(text.utf8), to: "view.json")
    let store = ViewStore(folder: scratch.path)
    let (view, notices) = load(store)
    #expect(view == nil)
    #expect(notices.count == 1)
    #expect(notices.first?.contains(file.string) == true)
    try store.save(SavedView(expanded: [DepartmentID("a")]))
    #expect(load(store).view?.expanded == [DepartmentID("a")])
    #expect(try scratch.entries == ["view.json"])
  }

  @Test func `a folder in its place is no view and a notice`() throws {
    let scratch = try ScratchFolder()
    try Folders.create(scratch.path.appending("view.json"))
    let store = ViewStore(folder: scratch.path)
    let (view, notices) = load(store)
    #expect(view == nil && notices.count == 1)
    let error = #expect(throws: DirectoryError.self) { try store.save(SavedView()) }
    #expect(error?.kind == .cannotWrite)
    #expect(try scratch.entries == ["view.json"])
  }
}
