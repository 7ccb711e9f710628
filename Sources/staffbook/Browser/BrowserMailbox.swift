import Browsing
import DirectoryModel
import DirectoryReading
import Platform
import Synchronization

/// What a query matches, and what becomes of the tree by it.
struct QueryMatches: Sendable {
  let matches: DirectoryOutline.Matches
  let best: Node?
  let outline: DirectoryOutline
  /// Which search found them.
  let number: Int

  private init(
    _ matches: DirectoryOutline.Matches,
    best: Node?,
    in outline: DirectoryOutline,
    _ number: Int
  ) {
    (self.matches, self.best, self.number) = (matches, best, number)
    var outline = outline
    outline.setFilter(matches)
    self.outline = outline
  }

  /// Looks for all matches, and beside that for those around the best, which are known sooner where much
  /// matches.
  ///
  /// - Parameters:
  ///   - query: What is looked for.
  ///   - outline: The tree as it is shown.
  ///   - rows: Of the screen.
  ///   - number: Of the search.
  ///   - put: Gets the first matches, or not, and all.
  /// - Throws: As the searcher, also in a cancelled task.
  static func search(
    _ query: String,
    in outline: DirectoryOutline,
    rows: Int,
    number: Int,
    _ put: @escaping @Sendable (QueryMatches) -> Void
  ) async throws {
    let directory = outline.directory
    let best = try directory.searcher().best(for: query)
    try Task.checkCancellation()
    // Cancelled where all are known before it ends.
    async let _: Void = {
      guard let best, let few = try directory.matches(around: best, for: query, rows: rows) else {
        return
      }
      put(QueryMatches(few, best: best, in: outline, number))
    }()
    let all = try directory.matches(for: query)
    try Task.checkCancellation()
    let shown = try best.flatMap { best in
      all.contains(best) ? best : try directory.places(of: best).first { all.contains($0) }
    }
    put(QueryMatches(all, best: shown, in: outline, number))
  }
}

/// What becomes of a state in the next directory.
struct StateUpdate: Sendable {
  let state: BrowserState
  let effects: [BrowserEffect]
  /// Which state it was made of.
  let generation: Int
  /// How often it was tried before, while keys went on.
  let attempt: Int

  /// - Throws: As `BrowserState.follow(to:)`.
  init(_ state: BrowserState, to next: Directory, generation: Int, attempt: Int) throws {
    var state = state
    effects = try state.follow(to: next)
    self.state = state
    (self.generation, self.attempt) = (generation, attempt)
  }
}

/// Where tasks and signals leave what the thread with the screen takes.
///
/// The descriptor is readable while there is something.
final class BrowserMailbox: Sendable {
  enum Item: Sendable {
    case signal(CInt)
    case found(QueryMatches)
    case cannotSearch(String, String)
    case card(BrowserCard)
    /// Who set the value on a line of a node's card.
    case whoSet(String, node: Node, line: Int)
    case snapshot(Directory)
    case followed(StateUpdate)
    case cannotFollow(String)
    /// A sync ended, and this is to be said.
    case synced(String)
  }

  private static let signals = [SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGCONT]
  /// Where the handlers write: one byte, the signal.
  private static let signalPipe = Atomic<CInt>(-1)

  private let items = Mutex<[Item]>([])
  private let pipe: Pipe

  var descriptor: CInt { pipe.reading }

  init() throws(DirectoryError) {
    guard let pipe = Pipe() else {
      throw DirectoryError(.cannotRead, "cannot browse: a pipe cannot be created")
    }
    self.pipe = pipe
    // A full pipe says already that there is something.
    for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    Self.signalPipe.store(pipe.writing, ordering: .sequentiallyConsistent)
    for signal in Self.signals {
      var action = sigaction()
      action.sa_flags = CInt(SA_RESTART)
      action.handler = { signal in
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = Platform.write(BrowserMailbox.signalPipe.load(ordering: .relaxed), &byte, 1)
      }
      sigaction(signal, &action, nil)
    }
  }

  func put(_ item: Item) {
    items.withLock { $0.append(item) }
    var byte: UInt8 = 0
    _ = Platform.write(pipe.writing, &byte, 1)
  }

  func take() -> [Item] {
    var bytes = [UInt8](repeating: 0, count: 256)
    var taken: [Item] = []
    let count = read(pipe.reading, &bytes, bytes.count)
    for byte in bytes.prefix(max(count, 0)) where byte != 0 { taken.append(.signal(CInt(byte))) }
    return taken
      + items.withLock { items in
        defer { items = [] }
        return items
      }
  }
}
