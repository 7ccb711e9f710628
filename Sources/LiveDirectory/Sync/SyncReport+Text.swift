import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import Platform

extension SyncReport {
  /// What was found and done, in a line or two.
  ///
  /// - Parameter duration: How long it took, in words.
  /// - Returns: The lines, for people.
  package func lines(duration: String) -> [String] {
    let standby = isStandby ? " (a standby)" : ""
    var first =
      isRehearsal
      ? "a sync from \(source)\(standby) would result in" : "synced from \(source)\(standby)"
    first += isRehearsal ? " \(contents)" : ": \(contents)"
    var lines = ["\(first), in \(duration)"]
    lines.append("\(modeText): \(changeText)")
    return lines
  }

  /// What was found, in one line.
  ///
  /// - Parameter duration: How long it took, in words.
  /// - Returns: The line, for a log.
  package func line(duration: String) -> String {
    mode == .first ? lines(duration: duration)[0] : "\(modeText): \(changeText), in \(duration)"
  }

  private var contents: String {
    "\(counted(users, "person", "people")), \(counted(departments, "department")) and "
      + counted(memberships, "membership")
  }

  private var modeText: String {
    switch mode {
    case .first: "read everything"
    case .incremental: "read only what changed"
    case .compared: "compared everything (\(reason ?? "as requested"))"
    }
  }

  /// The changes, counted.
  private var changeText: String {
    if mode == .first { return "there was no snapshot before" }
    let found = totals.foundText
    if !found.isEmpty { return found }
    if differsOtherwise { return "only the order or the unplaced records differ" }
    switch (declaresOtherwise, hasOtherRules) {
    case (true, false): return "only the declared fields differ"
    case (false, true): return "only the visibility rules differ"
    case (true, true): return "only the declared fields and the visibility rules differ"
    case (false, false):
      return hasOtherIdentities ? "only the identities behind the ids differ" : "nothing differs"
    }
  }
}

extension DirectoryTree {
  /// A record without a place, as `person Ada Lund (u1): belongs to no department`.
  private func unplacedText(at index: Int) -> String {
    let node = Int(unplacedNodes[index])
    let record = Int(nodeRecords[node])
    let (kind, name, id): (String, String, String)
    if hierarchy.isGroup(node) {
      (kind, name, id) =
        ("department", records.departments.names[record], records.departments.ids[record])
    } else {
      let user = Int(membershipUsers[record])
      (kind, name, id) = ("person", records.users.names[user], records.users.ids[user])
    }
    return "\(kind) \(name) (\(id)): \(unplacedReasons[index])"
  }

  /// The first records without a place, in preorder.
  func unplacedLines(atMost limit: Int) -> [String] {
    unplacedNodes.indices.prefix(limit).map { unplacedText(at: $0) }
  }
}
