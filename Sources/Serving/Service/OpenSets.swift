import DirectoryModel
import DirectoryReading
import FoundationEssentials
import Synchronization

/// Which departments a client has open: all, none or the first levels, exceptions, and what was done
/// to them since.
struct OpenSet: Codable, Hashable, Sendable {
  enum Base: Hashable, Sendable {
    case all, none
    case levels(Int)
  }

  var base: Base
  var open: [String]
  var closed: [String]
  /// Carried out in this order after everything else.
  var steps: [Step]

  /// A department that was opened, with those above it; closed; or opened with everything below it.
  struct Step: Codable, Hashable, Sendable {
    enum Kind: String, CodingKey, CaseIterable { case open, close, below }

    var kind: Kind
    var id: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Kind.self)
      guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: container.codingPath,
            debugDescription: "a step is one of open, close and below, with an id"
          )
        )
      }
      self.kind = kind
      id = try container.decode(String.self, forKey: kind)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Kind.self)
      try container.encode(id, forKey: kind)
    }
  }

  private enum Keys: String, CodingKey { case base, levels, open, closed, steps }

  var count: Int { open.count + closed.count + steps.count }

  static let mostExceptions = 20_000

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    // A key that is there has a value that is not `null`, as /openapi.json says.
    func value<Value: Decodable>(_ key: Keys) throws -> Value? {
      container.contains(key) ? try container.decode(Value.self, forKey: key) : nil
    }
    let (base, levels): (String?, Int?) = (try value(.base), try value(.levels))
    switch (base, levels) {
    case ("all", nil): self.base = .all
    case ("none", nil): self.base = .none
    case (nil, let levels?) where (0...64).contains(levels): self.base = .levels(levels)
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .base,
        in: container,
        debugDescription: "base is \"all\" or \"none\", or there are levels from 0 to 64"
      )
    }
    open = try value(.open) ?? []
    closed = try value(.closed) ?? []
    steps = try value(.steps) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    switch base {
    case .all: try container.encode("all", forKey: .base)
    case .none: try container.encode("none", forKey: .base)
    case .levels(let levels): try container.encode(levels, forKey: .levels)
    }
    try container.encode(open.sorted(), forKey: .open)
    try container.encode(closed.sorted(), forKey: .closed)
    if !steps.isEmpty { try container.encode(steps, forKey: .steps) }
  }

  /// What names it: the same for the same set on every node.
  ///
  /// - Parameter json: The set's.
  /// - Returns: Hexadecimal digits.
  static func name(_ json: String) -> String {
    SHA256.digest(of: Array(json.utf8)).prefix(16).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// The set without departments that are not there.
  func shown(in directory: Directory) throws -> OpenSet {
    func isThere(_ id: String) throws -> Bool { try directory.node(of: DepartmentID(id)) != nil }
    var shown = self
    shown.open = try open.filter(isThere)
    shown.closed = try closed.filter(isThere)
    shown.steps = try steps.filter { try isThere($0.id) }
    return shown
  }

  /// How long a tree may take to open.
  static let patience = Duration.seconds(1)

  /// The tree as it is open.
  ///
  /// - Parameters:
  ///   - directory: What is shown.
  ///   - deadline: When to give up.
  /// - Returns: What is visible of it.
  /// - Throws: `.unavailable` then, `CancellationError` in a cancelled task, and that the snapshot is
  ///   damaged.
  func outline(
    of directory: Directory,
    before deadline: ContinuousClock.Instant
  ) throws -> DirectoryOutline {
    var count = 0
    /// The node of what is opened or closed next, if it is there, which each 64th time may be too late.
    func nodes(_ id: String) throws -> [Node] {
      if count.isMultiple(of: 64) {
        try Task.checkCancellation()
        guard ContinuousClock.now < deadline else { throw Self.late }
      }
      count += 1
      return try directory.node(of: DepartmentID(id)).map { [$0] } ?? []
    }
    let opened = base == .none ? Set(open.map { DepartmentID($0) }) : []
    var outline = try DirectoryOutline(directory, SavedView(expanded: opened))
    switch base {
    case .all: outline.apply(.expandAll)
    case .none: break
    case .levels(let levels): outline.apply(.levels(levels))
    }
    if base != .none {
      for id in closed { outline.apply(.collapse(try nodes(id), recursive: false)) }
      for id in open { outline.apply(.expand(try nodes(id), recursive: false)) }
    }
    for step in steps {
      let node = try nodes(step.id)
      switch step.kind {
      case .open: outline.apply(.expand(node, recursive: false))
      case .below: outline.apply(.expand(node, recursive: true))
      case .close: outline.apply(.collapse(node, recursive: false))
      }
    }
    return outline
  }

  private static var late: Problem {
    Problem(
      .unavailable,
      "to open the tree takes more than \(patience.components.seconds) second",
      remedy: "name fewer departments and steps",
      retryAfter: 60
    )
  }
}

/// Open sets by their names, and the trees that were asked for last.
///
/// A name can be computed by anyone, so that whether a set is known tells whether it was posted. Each class
/// of viewers therefore has sets of its own, and none that names what the class does not see.
final class OpenSets: Sendable {
  private struct Name: Hashable {
    /// What the class sees whose own the set is.
    var sight: Sight
    var text: String
  }

  private struct Key: Hashable {
    var name: String
    /// What names the state and what the caller sees of it.
    var checksum: UInt64
  }

  private struct State {
    var sets: [Name: OpenSet] = [:]
    var order: [(name: Name, bytes: Int)] = []
    var bytes = 0
    /// When the newest state of which there are trees was read.
    var takenAt: Int64 = 0
    var outlines: [Key: DirectoryOutline] = [:]
    var recent: [Key] = []
  }

  private let state = Mutex(State())
  /// What all sets take, as JSON and 16 bytes for each id, with the sights whose own they are.
  static let mostBytes = 64 << 20
  static let mostOutlines = 128

  /// Keeps a set for a class, without what the class does not see; those that were posted longest ago go
  /// where there is no room for all.
  func keep(_ set: OpenSet, for directory: Directory) throws -> String {
    let set = try set.shown(in: directory)
    let json = JSONLine.encode(set)
    let name = Name(sight: directory.sight, text: OpenSet.name(json))
    state.withLock { state in
      guard state.sets.updateValue(set, forKey: name) == nil else { return }
      // An empty one takes room, too.
      let clauses = name.sight.places.count + name.sight.fields.count
      let bytes = json.utf8.count + 16 * set.count + 512 + 64 * clauses
      state.order.append((name, bytes))
      state.bytes += bytes
      while state.bytes > Self.mostBytes {
        let oldest = state.order.removeFirst()
        state.sets[oldest.name] = nil
        state.bytes -= oldest.bytes
      }
    }
    return name.text
  }

  /// The tree of a set; `nil` for a name that the class does not know, or of what is not there any more:
  /// the set is posted again.
  ///
  /// - Throws: As `OpenSet.outline(of:before:)`.
  func outline(_ name: String, of directory: Directory) throws -> DirectoryOutline? {
    let key = Key(name: name, checksum: directory.checksum)
    let own = Name(sight: directory.sight, text: name)
    let (set, known) = state.withLock { ($0.sets[own], $0.outlines[key]) }
    guard let set else { return nil }
    if let known { return known }
    guard try set.shown(in: directory) == set else { return nil }
    let outline = try set.outline(of: directory, before: .now + OpenSet.patience)
    state.withLock { state in
      // What is of a replaced state holds its file.
      if directory.takenAt > state.takenAt {
        state.takenAt = directory.takenAt
        (state.outlines, state.recent) = ([:], [])
      }
      guard state.outlines.updateValue(outline, forKey: key) == nil else { return }
      state.recent.append(key)
      if state.recent.count > Self.mostOutlines { state.outlines[state.recent.removeFirst()] = nil }
    }
    return outline
  }
}
