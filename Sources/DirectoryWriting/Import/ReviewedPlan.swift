import DirectoryModel
import FoundationEssentials
import Platform
import Synchronization
import SystemPackage

/// A plan that a dry run printed as JSON Lines and the user has read: an import that follows it
/// does what it says, all of it and nothing else, or nothing.
package final class ReviewedPlan: Sendable {
  private struct Match: Decodable {
    var event: String
    var id: String?
    var recordedId: String?
  }

  private let path: String
  /// Changes, matches and edits, in their order.
  private let lines: [Substring]
  private let place = Mutex(0)

  package init(_ path: String) throws(DirectoryError) {
    self.path = path
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try MappedFile(path: FilePath(path)).withBytes { Array($0) }
    } catch {
      throw DirectoryError(
        error == .noSuchFileOrDirectory ? .noInput : .cannotRead,
        "cannot read the plan \(path): \(error)"
      )
    }
    let all = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard all.contains(where: { $0.contains("\"event\":\"plan\"") }) else {
      throw DirectoryError(
        .badData,
        "cannot apply the plan \(path): it is not a plan",
        advice: "make one by a dry run that prints JSON"
      )
    }
    // Keys are sorted, so that a value cannot be taken for the event.
    lines = all.filter { line in
      !line.contains("\"event\":\"plan\"") && !line.hasPrefix("{\"event\":\"warning\"")
    }
  }

  /// The answers to doubts that the plan was made with.
  package func decide(_ doubts: [ListMatch]) -> [MatchDecision] {
    let pairs = lines.lazy.filter { $0.contains("\"event\":\"match\"") }.compactMap { line in
      (try? JSONDecoder().decode(Match.self, from: Data(line.utf8))).flatMap { match in
        match.id.map { [$0, match.recordedId ?? ""] }
      }
    }
    let same = Set(pairs)
    return doubts.map { MatchDecision($0, isSame: same.contains([$0.id, $0.recordedID])) }
  }

  /// Holds lines of the plan that is about to be carried out against the file; none is the end, after
  /// which the plan may be held against it once more.
  ///
  /// - Throws: `.refusedForNow` where they differ.
  package func require(_ planned: [ImportPlanLine]) throws(DirectoryError) {
    var place = self.place.withLock { $0 }
    guard !planned.isEmpty else {
      if place < lines.count { throw refusal("it says \(lines[place])") }
      self.place.withLock { $0 = 0 }
      return
    }
    for line in planned {
      if case .summary = line { continue }
      guard place < lines.count, lines[place] == line.json else {
        throw refusal("the import would now do this: \(line.text)")
      }
      place += 1
    }
    self.place.withLock { $0 = place }
  }

  private func refusal(_ difference: String) -> DirectoryError {
    DirectoryError(
      .refusedForNow,
      "cannot apply the plan \(path): the files or the directory have changed since it was made",
      advice: "nothing was changed; make a new plan by a dry run, and read it",
      details: [difference]
    )
  }
}
