import DirectoryModel
import DirectorySnapshot
import DirectoryStore

/// What a sync did, or would do.
package struct SyncReport: Sendable {
  package enum Mode: String, Sendable {
    /// There was no snapshot; everything was read.
    case first
    /// Only what changed was read.
    case incremental
    /// Everything was read and compared with the snapshot.
    case compared
  }

  /// Where the time went.
  package struct Timing: Sendable {
    /// Connecting, and reading what the source sent.
    package var reading = Duration.zero
    /// Comparing, linking and sorting.
    package var building = Duration.zero
    /// Writing the snapshot's file.
    package var writing = Duration.zero
    /// Making it durable.
    package var flushing = Duration.zero
    /// Making or updating the search index.
    package var indexing = Duration.zero
  }

  package var mode: Mode
  /// Why everything was read; `nil` after an incremental sync.
  package var reason: String?
  let totals: ChangeTotals
  /// Whether the order of names, or what is unplaced, is another.
  let differsOtherwise: Bool
  /// Whether fields are declared otherwise.
  let declaresOtherwise: Bool
  /// Whether the rules of who may see whom are others.
  let hasOtherRules: Bool
  /// Whether identities are stored that were not, or the other way round.
  let hasOtherIdentities: Bool
  /// Every change by name, where that was asked; it keeps what was read alive.
  package let changes: DetectedChanges?
  /// Whether the snapshot's file was replaced; it is not where nothing differs.
  package internal(set) var isWritten: Bool
  /// What was done about the search index; `nil` where it was up to date, or is missing.
  package internal(set) var index: SearchIndexChange?
  package var isRehearsal: Bool
  package var departments: Int
  package var users: Int
  package var memberships: Int
  /// Records that have no place in the tree.
  package var unplaced: Int
  /// The first of them: who or what each is, and why it has no place.
  package let unplacedLines: [String]
  /// Where it was read from; never a secret.
  package var source: String
  package var isStandby: Bool
  package internal(set) var timing = Timing()
  /// What a later look at the source starts from; `nil` where nothing tracks changes.
  let watermark: SourceWatermark?

  init(_ findings: SyncFindings, _ options: SyncOptions) {
    mode = findings.mode
    reason = findings.reason
    totals = findings.changes.totals
    differsOtherwise = findings.changes.differsOtherwise
    declaresOtherwise = findings.changes.declaresOtherwise
    hasOtherRules = findings.changes.hasOtherRules
    hasOtherIdentities = findings.changes.hasOtherIdentities
    changes = options.namesChanges ? findings.changes.changes : nil
    isWritten = false
    isRehearsal = options.isRehearsal
    source = findings.source.place
    isStandby = findings.source.isStandby
    watermark = findings.source.watermark
    switch findings.state {
    case .built(let tree):
      departments = tree.departmentCount
      users = tree.userCount
      memberships = tree.records.memberships.count
      unplaced = tree.unplacedNodes.count
      unplacedLines = tree.unplacedLines(atMost: DeletionGuard.namedCount)
    case .updated(let update):
      departments = update.departmentCount
      users = update.userCount
      memberships = update.membershipCount
      // Nothing is updated that holds anything without a place.
      unplaced = 0
      unplacedLines = []
    }
  }
}
