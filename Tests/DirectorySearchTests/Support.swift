import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Records in a few words.
struct Company {
  var records = DirectoryRecords()

  mutating func department(
    _ id: String,
    under parent: String? = nil,
    name: String? = nil
  ) throws {
    try records.departments.append(
      DepartmentRecord(
        id: DepartmentID(id),
        parent: parent.map { DepartmentID($0) },
        name: name ?? id
      )
    )
  }

  /// A user with the primary membership.
  mutating func user(
    _ id: String,
    in department: String,
    name: String,
    title: String = "",
    email: String = "",
    phone: String = ""
  ) throws {
    try records.users.append(
      UserRecord(
        id: UserID(id),
        primaryDepartment: DepartmentID(department),
        name: name,
        email: email,
        phone: phone
      )
    )
    try member(id, of: department, title: title)
  }

  mutating func member(_ user: String, of department: String, title: String = "") throws {
    try records.memberships.append(
      MembershipRecord(user: UserID(user), department: DepartmentID(department), title: title)
    )
  }

  /// The directory as searches see it: built, written and opened.
  func snapshot() throws -> DirectorySnapshot {
    let folder = try ScratchFolder()
    return try write(to: folder.path)
  }

  /// Searches of the same directory without an index and with one.
  func engines(
    phones: PhoneRules = .unknown
  ) throws -> (scan: SearchEngine, index: SearchEngine) {
    let folder = try ScratchFolder()
    let snapshot = try write(to: folder.path)
    let path = folder.path.appending("search.index")
    try SearchIndexBuilder.write(of: snapshot, to: path, phones: phones)
    guard case .usable(let index) = SearchIndex.open(path, for: snapshot, phones: phones) else {
      throw TestFailure("the index just written is not usable")
    }
    return (
      try SearchEngine(snapshot, phones: phones),
      try SearchEngine(snapshot, phones: phones, index: index)
    )
  }

  func write(to folder: FilePath) throws -> DirectorySnapshot {
    let path = folder.appending("directory.snapshot")
    let metadata = SnapshotMetadata(
      takenAt: 0,
      locale: "C",
      collationVersion: "1/test",
      source: "a test"
    )
    try TreeBuilder.build(records, locale: "C").write(to: path, metadata: metadata)
    // A mapping outlives its name.
    return try DirectorySnapshot(path: path)
  }
}

struct TestFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A folder that goes with its last use.
final class ScratchFolder {
  let path: FilePath

  init() throws {
    var template = Array("/tmp/staffbook-search-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }
    }
    path = FilePath(platformString: try #require(made))
  }

  var snapshot: FilePath { path.appending("directory.snapshot") }

  deinit {
    for name in ["directory.snapshot", "search.index", "search.index.changes"] {
      _ = path.appending(name).withPlatformString { unlink($0) }
    }
    _ = path.withPlatformString { rmdir($0) }
  }
}

/// Numbers that a seed determines (SplitMix64: Steele, Lea and Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
  private(set) var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Seeds that are new in each run; a failing test names its own.
func newSeeds(_ count: Int) -> [UInt64] {
  (0..<count).map { _ in UInt64.random(in: 0...UInt64.max) }
}

/// Text of many scripts, made to hit: few syllables, much repetition, marks that fold away.
enum RandomText {
  private static let syllables = [
    "an", "An", "ÁN", "na", "strom", "Ström", "ß", "SS", "ı", "ﬁ", "fi", "o\u{301}", "\u{F3}",
    "Ёл", "ел", "ΟΣ", "ος", "王", "小明", "가", "ᄀ", "か", "が", "ｶﾞ", "ガ", "กำ", "นี้", "की", "شُ", "ش",
    "٤", "4", "2", "%", "_", "\\", "*", "-", "–", "\"", "'", "’", "@", ".", "+", "\u{200D}",
    "\u{202E}", "👩‍👩‍👧", "\u{301}", "\u{E31}", "\u{1F}", "Mü", "mue", "張", "张", "zh", "さ", "サ",
    "Щу", "кин", "ㄱ", "강", "wei", "伟", "重", "庆",
  ]

  static func word(using generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...4, using: &generator))
      .map { _ in syllables.randomElement(using: &generator) ?? "" }.joined()
  }

  static func text(words: ClosedRange<Int>, using generator: inout SeededGenerator) -> String {
    let blanks = [" ", " ", "  ", "\u{A0}", "\u{3000}", "\t"]
    var text = ""
    for index in 0..<Int.random(in: words, using: &generator) {
      if index > 0 { text += blanks.randomElement(using: &generator) ?? " " }
      text += word(using: &generator)
    }
    return text
  }
}

/// Whether bytes contain others, by looking everywhere.
func naivelyContains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
  guard word.count <= text.count else { return false }
  return (0...text.count - word.count).contains { start in
    text[start] == word[0] && text[start..<start + word.count].elementsEqual(word)
  }
}
