import Dispatch

/// Hands batches from a thread that makes them to a task that uses them, two at most under way:
/// so files are parsed while the server takes what was parsed before.
enum BatchPipe {
  /// Runs both to their ends.
  ///
  /// - Parameters:
  ///   - label: Of the thread.
  ///   - produce: Makes batches and hands them on; runs on a thread of its own and may block.
  ///   - consume: Gets one batch after the other.
  /// - Returns: What `produce` returned.
  /// - Throws: What either of the two threw, or `CancellationError`; when `consume` fails or the task is
  ///   cancelled, `produce` runs to its end and what it still hands on is dropped.
  static func run<Batch: Sendable, Output: Sendable>(
    label: String,
    produce: @escaping @Sendable (_ handOn: (Batch) -> Void) throws -> Output,
    consume: (Batch) async throws -> Void
  ) async throws -> Output {
    let (batches, continuation) = AsyncThrowingStream<Item<Batch, Output>, any Error>.makeStream()
    let room = DispatchSemaphore(value: 2)
    // Of a task that is cancelled the stream ends at once: no one takes the two batches under way,
    // and a writer that waits for room would wait for ever.
    defer { for _ in 0..<2 { room.signal() } }
    DispatchQueue(label: label).async {
      do {
        let output = try produce { batch in
          room.wait()
          if case .terminated = continuation.yield(.batch(batch)) { room.signal() }
        }
        continuation.yield(.output(output))
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    var output: Output?
    var failure: (any Error)?
    for try await item in batches {
      switch item {
      case .output(let value): output = value
      case .batch(let batch):
        do {
          if failure == nil { try await consume(batch) }
        } catch {
          failure = error
        }
        room.signal()
      }
    }
    if let failure { throw failure }
    guard let output else { throw CancellationError() }
    return output
  }

  private enum Item<Batch: Sendable, Output: Sendable>: Sendable {
    case batch(Batch)
    case output(Output)
  }
}
