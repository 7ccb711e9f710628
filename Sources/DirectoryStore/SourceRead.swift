import DirectoryModel

/// What one consistent look at the source brought.
package enum SourceRead: Sendable {
  /// All of it, and why only changes would not do.
  case everything(LoadedDirectory, because: ComparisonReason)
  /// What changed since the watermark, and a slice of the rows as they are now, by content.
  ///
  /// There is no slice where none was asked for, or where the server hashes in another way than
  /// we do.
  case changes(DirectoryChanges, DirectorySource, slice: SourceSlice?)

  /// Where and when it was read.
  package var source: DirectorySource {
    switch self {
    case .everything(let loaded, _): loaded.source
    case .changes(_, let source, _): source
    }
  }
}

/// Which rows to compare by content besides.
package struct SliceRequest: Hashable, Sendable {
  package var kind: RecordKind
  /// Where to begin, which need not be the id of a row; "" is the very beginning.
  package var first: String
  /// Roughly how many rows; memberships of one user are never parted.
  package var rows: Int

  package init(kind: RecordKind, first: String, rows: Int = 5_000) {
    self.kind = kind
    self.first = first
    self.rows = rows
  }
}
