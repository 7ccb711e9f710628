import DirectoryExchange
import DirectoryModel
import Platform
import SystemPackage
import Testing

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
    case .problem(let problem):
      seen.append(
        problem.isWarning ? .warning(problem.reason) : .problem(problem.line, problem.reason)
      )
    }
  }
  return seen
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

func makeFolder(_ path: FilePath) -> Bool { mkdir(path.string, 0o700) == 0 }

func makePipe(_ path: FilePath) -> Bool { mkfifo(path.string, 0o600) == 0 }

func makeLink(_ path: FilePath, to target: String) -> Bool { symlink(target, path.string) == 0 }
