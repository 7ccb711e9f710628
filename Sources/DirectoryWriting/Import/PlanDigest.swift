import DirectoryModel
import Synchronization

/// A plan by the hash of its lines, so that the same plan is known again.
struct PlanDigest: Equatable, Sendable {
  private var hash: UInt64 = 0
  private var count = 0

  mutating func add(_ lines: [ImportPlanLine]) {
    for line in lines {
      var bytes = withUnsafeBytes(of: hash) { Array($0) }
      bytes += Array(line.json.utf8)
      hash = bytes.withUnsafeBytes { XXHash64.digest($0) }
      count += 1
    }
  }
}

/// Notices of an import that is tried several times: each is told once.
final class ToldOnce: Sendable {
  private let told = Mutex<Set<Advice>>([])

  func isNew(_ notice: Advice) -> Bool { told.withLock { $0.insert(notice).inserted } }
}
