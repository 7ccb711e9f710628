import DirectoryModel
import Synchronization

extension Directory {
  /// Whether a caller sees the same as in another state, whatever else the two differ in, and whenever
  /// they were read.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: That of an export of what is seen, the first time for each state of a class; O(1) for
  ///   callers who see everything.
  package func shows(sameAs other: Directory) throws -> Bool {
    guard sight == other.sight else { return false }
    if checksum == other.checksum { return true }
    guard sight != .everything else { return false }
    return try shownFields == other.shownFields && ownCard() == other.ownCard()
      && contentName() == other.contentName()
  }

  /// Names all rows with all that is shown of them.
  private func contentName() throws -> UInt64 {
    if let known = state.contentName.withLock({ $0 }) { return known }
    var request = TreeRequest(opening: .all)
    (request.withContacts, request.withOrder) = (true, true)
    var digests: [UInt64] = []
    _ = try Directory(state).write(request, as: .jsonl) { bytes in
      digests.append(bytes.withUnsafeBytes { XXHash64.digest($0) })
      bytes.removeAll(keepingCapacity: true)
    }
    let name = digests.withUnsafeBytes { XXHash64.digest($0) }
    state.contentName.withLock { $0 = name }
    return name
  }
}
