import DirectorySearch
import DirectorySnapshot
import SystemPackage

/// What searches of a state go by beside the snapshot.
///
/// That is how telephone numbers are dialled, and the index, which others write and remove: reading
/// does neither.
package struct SearchSupport: Sendable {
  /// How numbers are dialled where the directory is; `nil` for what the index was made with.
  package var phones: DialingPlan?
  /// The file of the index; `nil` for searches that look at every record.
  package var index: FilePath?
  /// Runs work later and beside searches, one after the other; `nil` in a process that answers once.
  ///
  /// By it a state without a file of an index gets one of its own.
  package var runsLater: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?
  /// Called when a search wants the index and there is none of this state; may make it.
  package var makeIndex: @Sendable (DirectorySnapshot) -> Void = { _ in }
  /// Told that the index turned out to be damaged.
  package var discardIndex: @Sendable () -> Void = {}

  package init(phones: DialingPlan? = nil, index: FilePath? = nil) {
    self.phones = phones
    self.index = index
  }

  /// With fewer people a search without an index is quick enough not to make one for it.
  package static let worthIndexing = 2_000

  /// The same for another state of the directory, which has no file of an index.
  package var withoutIndex: SearchSupport {
    var support = SearchSupport(phones: phones)
    support.runsLater = runsLater
    return support
  }
}

/// Who asks a directory.
package struct SearchUser: Sendable {
  /// An id, a name that one person has, or an address; people near come first among equals.
  package var me: String?
  /// Told that `me` is unknown, once for each state that is searched.
  package var reportUnknownMe: @Sendable () -> Void

  package init(me: String? = nil, reportUnknownMe: @escaping @Sendable () -> Void = {}) {
    self.me = me
    self.reportUnknownMe = reportUnknownMe
  }
}
