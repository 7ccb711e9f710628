import DirectoryExchange
import DirectoryModel
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a reader came upon, copied out of its buffer.
enum Seen: Equatable {
  case record(Int, [String])
  case warning(CSVProblem.Reason)
  case problem(Int?, CSVProblem.Reason)
}

/// Reads bytes through a pipe, which hands them over in pieces of its own choice.
func read(
  _ bytes: [UInt8],
  bufferSize: Int = CSVReader.defaultBufferSize,
  longestRecord: Int = CSVReader.defaultLongestRecord
) throws -> [Seen] {
  precondition(bytes.count <= 60_000, "a pipe would not take it without a reader")
  let pipe = try FileDescriptor.pipe()
  defer { try? pipe.readEnd.close() }
  try pipe.writeEnd.closeAfter { _ = try pipe.writeEnd.writeAll(bytes) }
  return items(of: pipe.readEnd, bufferSize: bufferSize, longestRecord: longestRecord)
}

func read(_ text: String) throws -> [Seen] { try read(Array(text.utf8)) }

func items(
  of descriptor: FileDescriptor,
  bufferSize: Int = CSVReader.defaultBufferSize,
  longestRecord: Int = CSVReader.defaultLongestRecord
) -> [Seen] {
  var reader = CSVReader(
    reading: descriptor,
    bufferSize: bufferSize,
    longestRecord: longestRecord
  )
  var seen: [Seen] = []
  reader.forEach { item in
    switch item {
    case .record(let record):
      seen.append(
        .record(record.line, (0..<record.count).map { String(decoding: record[$0], as: UTF8.self) })
      )
    case .warning(let warning): seen.append(.warning(warning.reason))
    case .problem(let problem): seen.append(.problem(problem.line, problem.reason))
    }
  }
  return seen
}

/// A folder of its own for a test, removed with all that is in it.
func withTemporaryFolder<Result>(_ body: (FilePath) throws -> Result) throws -> Result {
  let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  let template = strdup(root + "/staffbook-exchange-XXXXXX")
  defer { free(template) }
  let path = try #require(
    template.flatMap { mkdtemp($0) },
    "cannot make a temporary folder in \(root)"
  )
  let folder = FilePath(platformString: path)
  defer { removeAll(in: folder) }
  return try body(folder)
}

/// Removes a folder one level deep.
private func removeAll(in folder: FilePath) {
  if let entries = opendir(folder.string) {
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." {
        _ = remove(folder.appending(name).string)
      }
    }
    closedir(entries)
  }
  rmdir(folder.string)
}

func write(_ bytes: some Sequence<UInt8>, to path: FilePath) throws {
  let file = try FileDescriptor.open(
    path,
    .writeOnly,
    options: [.create, .truncate],
    permissions: .ownerReadWrite
  )
  try file.closeAfter { _ = try file.writeAll(bytes) }
}

/// A folder of the real data that the environment names.
func testData(_ name: String) throws -> FilePath {
  let root = try #require(
    getenv("STAFFBOOK_TEST_DATA").map { String(cString: $0) },
    "set STAFFBOOK_TEST_DATA to the folder of the real data sets"
  )
  return FilePath(root).appending(name)
}

/// SplitMix64 of Sebastiano Vigna, so that a failing seed can be tried again.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

func makeFolder(_ path: FilePath) -> Bool { mkdir(path.string, 0o700) == 0 }

func makePipe(_ path: FilePath) -> Bool { mkfifo(path.string, 0o600) == 0 }
