import DirectoryModel
import Platform
import Synchronization
import SystemPackage

/// Lines of a plan that wait until they are shown: no transaction is to be open while a person reads.
///
/// They are kept in memory while they are few, and otherwise in a file without a name.
final class PlanSpool: Sendable {
  /// Bytes in memory.
  private static let most = 1 << 20

  private struct Content: ~Copyable {
    var buffer: [UInt8] = []
    var file: ScratchFile?
  }

  private let content = Mutex(Content())

  /// - Throws: `.cannotWrite`.
  func add(_ lines: some Sequence<String>) throws(DirectoryError) {
    do {
      try content.withLock { content in
        for line in lines {
          content.buffer.append(contentsOf: line.utf8)
          // What the database holds has none.
          content.buffer.append(0)
        }
        guard content.buffer.count >= Self.most else { return }
        if content.file == nil { content.file = try ScratchFile() }
        _ = try content.file?.descriptor.writeAll(content.buffer)
        content.buffer.removeAll(keepingCapacity: true)
      }
    } catch {
      throw DirectoryError(
        .cannotWrite,
        "cannot keep the plan in \(ScratchFile.folder): \(error)",
        advice: "nothing was changed"
      )
    }
  }

  /// Hands over the lines in their order, and forgets them.
  ///
  /// - Throws: What `body` throws.
  func takeLines<Failure: Error>(
    _ body: (SpooledLines) throws(Failure) -> Void
  ) throws(Failure) {
    var taken = Content()
    content.withLock { swap(&$0, &taken) }
    guard let file = taken.file else {
      return try body(SpooledLines(descriptor: nil, rest: taken.buffer))
    }
    _ = try? file.descriptor.seek(offset: 0, from: .start)
    try body(SpooledLines(descriptor: file.descriptor, rest: taken.buffer))
    // It is closed only now.
    _ = file.descriptor
  }
}

/// Lines of a file, each ended by a NUL, and those of a buffer behind them.
struct SpooledLines: Sequence, IteratorProtocol {
  private static let size = 1 << 16

  private var descriptor: FileDescriptor?
  private let rest: [UInt8]
  private var buffer: [UInt8] = []
  private var place = 0

  fileprivate init(descriptor: FileDescriptor?, rest: [UInt8]) {
    self.descriptor = descriptor
    self.rest = rest
    if descriptor == nil { buffer = rest }
  }

  mutating func next() -> String? {
    while true {
      if let end = buffer[place...].firstIndex(of: 0) {
        defer { place = end + 1 }
        return String(decoding: buffer[place..<end], as: UTF8.self)
      }
      guard let descriptor else { return nil }
      buffer.removeFirst(place)
      place = 0
      let piece = [UInt8](unsafeUninitializedCapacity: Self.size) { bytes, count in
        count = (try? descriptor.read(into: UnsafeMutableRawBufferPointer(bytes))) ?? 0
      }
      if piece.isEmpty {
        self.descriptor = nil
        buffer += rest
      } else {
        buffer += piece
      }
    }
  }
}
