import DirectoryModel
import DirectoryReading
import Dispatch
import HTTPTypes
import HummingbirdCore
import LiveDirectory
import NIOCore
import Synchronization

extension Route {
  static let export = Route(
    path: "/api/v1/export",
    access: .copiers,
    summary: "The tree, or what is in a department and below, as a file.",
    parameters: [
      Parameter(
        name: "format",
        kind: .choice(RowFormat.allCases.filter { $0 != .text }.map(\.rawValue), usual: nil),
        isRequired: true,
        summary: "The format, as docs/formats.md describes it."
      ),
      Parameter(
        name: "root",
        kind: .text(most: 255),
        summary: "The id of the department; without it, everything."
      ),
      Parameter(
        name: "kinds",
        kind: .choice(["everything", "departments", "people"], usual: "everything"),
        summary: "What is exported."
      ),
      Parameter(name: "q", kind: .text(most: 1_000), summary: "Only what this query matches."),
      Parameter(
        name: "excel",
        kind: .flag,
        summary: "Whether `csv` is for a spreadsheet, as docs/formats.md describes it."
      ),
    ],
    answer: .file,
    problems: [.notFound]
  ) { request in
    let permit = try request.service.limits.export(request.caller)
    guard let format = RowFormat(rawValue: request.required("format")) else {
      throw Problem(.badRequest)
    }
    var options = ExportOptions()
    options.isForSpreadsheet = request.flag("excel")
    guard format == .csv || !options.isForSpreadsheet else {
      throw Problem(.badRequest, "the parameter \"excel\" is only for the format csv")
    }
    let (directory, position) = try await request.read { $0 }
    var rows = TreeRequest(opening: .all)
    rows.root = try request.text("root").map { try directory.shown(DepartmentID($0)) }
    rows.filter = request.text("q")
    (rows.withContacts, rows.withOrder) = (true, true)
    switch request.text("kinds") {
    case "departments": rows.kinds = .departments
    case "people": rows.kinds = .people
    default: rows.kinds = .everything
    }
    let export = RunningExport(permit)
    export.begin(request.service, directory, rows, format, options)
    // What is wrong with the request shows before the first piece.
    let first = try await request.untilDeparture { try await export.next() }
    var reply = Reply(format.mediaType) { writer in
      var piece = first
      while let bytes = piece {
        try await writer.write(ByteBuffer(bytes: bytes))
        piece = try await export.next()
      }
    }
    reply.headers[.contentDisposition] = "attachment; filename=\"directory.\(format.endings[0])\""
    reply.headers[RouteRequest.stateField] = position?.text
    return reply
  }
}

extension RowFormat {
  fileprivate var mediaType: String {
    switch self {
    case .csv: "text/csv; charset=utf-8; header=present"
    case .tsv, .plain: "text/tab-separated-values; charset=utf-8"
    case .json: "application/json"
    case .jsonl: "application/jsonl"
    case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    case .vcard: "text/vcard; charset=utf-8"
    case .markdown: "text/markdown; charset=utf-8"
    case .html: "text/html; charset=utf-8"
    case .ldif, .text, .mermaid, .dot: "text/plain; charset=utf-8"
    }
  }
}

/// An export that is made on a thread, piece by piece, at its reader's pace; it ends with its reader,
/// also in the middle of a search.
private final class RunningExport: Sendable {
  /// Held until the last piece has been taken.
  private let permit: Mutex<Permit?>
  private let queue = PieceQueue()
  private let making = Mutex<Task<Void, Never>?>(nil)

  init(_ permit: Permit) { self.permit = Mutex(permit) }

  deinit {
    queue.abandon()
    making.withLock { task in
      task?.cancel()
      task = nil
    }
  }

  func begin(
    _ service: DirectoryService,
    _ directory: Directory,
    _ rows: TreeRequest,
    _ format: RowFormat,
    _ options: ExportOptions
  ) {
    // Ended by the queue and `deinit`, whatever becomes of the request.
    let task = Task { [queue] in
      do {
        try await service.export {
          var rows = rows
          rows.deadline = .now + RouteRequest.longestSearch
          _ = try directory.write(rows, as: format, options) { bytes in
            try queue.append(bytes)
            bytes.removeAll(keepingCapacity: true)
          }
        }
        queue.finish(nil)
      } catch {
        queue.finish(error)
      }
    }
    making.withLock { $0 = task }
  }

  /// The next piece; `nil` behind the last one.
  func next() async throws -> [UInt8]? {
    let piece = try await queue.next()
    // Before its reader sees the end, who may ask for another export at once.
    if piece == nil { permit.withLock { $0 = nil } }
    return piece
  }
}

/// Pieces between a thread that makes them and a task that sends them.
private final class PieceQueue: Sendable {
  private let pieces: AsyncThrowingStream<[UInt8], any Error>
  private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
  private let isAbandoned = Mutex(false)
  private let room = DispatchSemaphore(value: 0)
  private static let most = 8
  /// How long a reader may take nothing.
  private static let patience = 60

  init() {
    (pieces, continuation) = AsyncThrowingStream.makeStream()
    // One that began with room may not end with less.
    for _ in 0..<Self.most { room.signal() }
  }

  /// Waits while there are several that were not sent.
  ///
  /// - Throws: `.interrupted` if the client no longer reads.
  func append(_ bytes: [UInt8]) throws(DirectoryError) {
    let came = room.wait(timeout: .now() + .seconds(Self.patience))
    if came == .timedOut || isAbandoned.withLock({ $0 }) { throw .interrupted }
    continuation.yield(bytes)
  }

  func next() async throws -> [UInt8]? {
    var iterator = pieces.makeAsyncIterator()
    let piece = try await iterator.next()
    room.signal()
    return piece
  }

  func finish(_ error: (any Error)?) { continuation.finish(throwing: error) }

  func abandon() {
    isAbandoned.withLock { $0 = true }
    room.signal()
  }
}
