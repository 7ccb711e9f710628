/// What a look at a source's ledger allows: to read only what changed, or not.
enum IncrementalReadCheck: Equatable {
  /// The state contains the one that was read before; only these transactions are new, rising.
  case changes([UInt64])
  case everything(ComparisonReason)
  /// A standby that lacks something; if it does not come, everything has to be read for that reason.
  case behind(ComparisonReason)

  /// - Complexity: O(n), n the ledger's entries at or above the watermark's xmin.
  init(_ facts: SourceFacts, since watermark: SourceWatermark?) {
    guard let watermark else {
      self = .everything(.firstSync)
      return
    }
    guard facts.systemIdentifier == watermark.systemIdentifier else {
      self = .everything(.otherSystem)
      return
    }
    let differing = Self.differingForm(facts, watermark)
    let broken: ComparisonReason? =
      facts.brokenTriggers.isEmpty ? nil : .brokenTriggers(facts.brokenTriggers)
    // On a primary, another form says more than the entries that are lost with it, and what is
    // wrong with the triggers more than that they differ.
    if let differing, !facts.isStandby {
      self = .everything(broken ?? differing)
      return
    }
    // Beyond xmax it came with another cluster's dump and says nothing.
    if facts.prunedBelow > watermark.proof.from, facts.prunedBelow < facts.xmax {
      self = .everything(.prunedTooFar)
      return
    }
    guard facts.digest == watermark.proof.digest,
      let new = Self.newTransactions(in: facts.entries, since: watermark)
    else {
      self = facts.isStandby ? .behind(.standbyBehind) : .everything(.lostTransaction)
      return
    }
    if let differing {
      self = .behind(differing)
    } else if let broken {
      self = .everything(broken)
    } else if !facts.hasAccess(of: watermark) {
      self = .everything(.otherAccess)
    } else {
      self = .changes(new)
    }
  }

  private static func differingForm(
    _ facts: SourceFacts,
    _ watermark: SourceWatermark
  ) -> ComparisonReason? {
    if facts.layout != watermark.layout { return .otherLayout }
    if facts.epoch != watermark.epoch { return .otherEpoch }
    return nil
  }

  /// The transactions that were not seen; `nil` when one that was seen is not there.
  private static func newTransactions(
    in entries: [LedgerEntry],
    since watermark: SourceWatermark
  ) -> [UInt64]? {
    var new: [UInt64] = []
    var seen = watermark.seen[...]
    for entry in entries where entry.transaction >= watermark.xmin {
      if let next = seen.first, next.transaction <= entry.transaction {
        guard next == entry else { return nil }
        seen.removeFirst()
      } else {
        new.append(entry.transaction)
      }
    }
    return seen.isEmpty ? new : nil
  }
}

extension SourceFacts {
  /// Whether what the user may read is decided as it was when a state was read.
  func hasAccess(of watermark: SourceWatermark) -> Bool { access == watermark.access ?? "" }
}
