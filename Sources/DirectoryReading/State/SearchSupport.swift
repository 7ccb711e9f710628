import DirectorySearch
import DirectorySnapshot
import SystemPackage

/// What searches of a state go by beside the snapshot.
///
/// That is how telephone numbers are dialled, and the index, which others write and remove: reading
/// does neither.
package struct SearchSupport: Sendable {
  /// How numbers are dialled where the directory is; `nil` for what the index was made with.
  package var phones: PhoneRules?
  /// The file of the index; `nil` for searches that look at every record.
  package var index: FilePath?
  /// Called when a search wants the index and there is none of this state; may make it.
  package var makeIndex: @Sendable (DirectorySnapshot) -> Void = { _ in }
  /// Told that the index turned out to be damaged.
  package var discardIndex: @Sendable () -> Void = {}

  package init(phones: PhoneRules? = nil, index: FilePath? = nil) {
    self.phones = phones
    self.index = index
  }

  /// The same for another state of the directory, which has no index.
  package var withoutIndex: SearchSupport { SearchSupport(phones: phones) }
}

/// Who asks a directory.
package struct Asker: Sendable {
  /// An id, a name that one person has, or an address; people near come first among equals.
  package var me: String?
  /// Told that `me` is nobody, once for each state that is searched.
  package var missMe: @Sendable () -> Void

  package init(me: String? = nil, missMe: @escaping @Sendable () -> Void = {}) {
    self.me = me
    self.missMe = missMe
  }
}
