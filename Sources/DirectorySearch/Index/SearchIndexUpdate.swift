import DirectorySnapshot
import SystemPackage

/// Brings a search index up to an updated snapshot, by what changed.
///
/// The index itself stays as it is; what changed since it was made is written beside it, as
/// `SearchIndexFormat` says. A search finds the same in the same order as with a new index.
package enum SearchIndexUpdate {
  /// Writes what changed since an index was made beside it, atomically.
  ///
  /// The caller holds the writer's lock of the folder.
  ///
  /// - Parameters:
  ///   - snapshot: What is searched now; it is in place already.
  ///   - old: What was searched before: the index, perhaps with changes, is of it.
  ///   - rows: What the update made of the rows of `old`.
  ///   - path: Where the index is.
  ///   - phones: How telephone numbers are dialled where the directory is.
  ///   - limit: How many documents may be added or removed before the index is to be rebuilt; `nil`
  ///     for `mostChanges(documents:)`.
  /// - Returns: The written file; `nil` where the index is to be rebuilt: there is none of `old`,
  ///   too much has changed since, or other fields are searched.
  /// - Throws: `SnapshotError`: the snapshot or the index is damaged, or the file cannot be written.
  /// - Complexity: O(people + departments) at some 30 bytes each, and what
  ///   `SearchIndexBuilder.write(of:to:phones:)` takes for everyone who changed since the index was
  ///   made, and for all departments once one of them is another.
  package static func write(
    of snapshot: DirectorySnapshot,
    since old: DirectorySnapshot,
    _ rows: RowMapping,
    beside path: FilePath,
    phones: DialingPlan,
    limit: Int? = nil
  ) throws(SnapshotError) -> InstalledFile? {
    guard case .usable(let index) = SearchIndex.open(path, for: old, phones: phones),
      try SearchColumns.searchedFields(of: old.fields())
        == SearchColumns.searchedFields(of: snapshot.fields()),
      var work = try IndexUpdateState(index, snapshot, rows)
    else { return nil }
    let limit = limit ?? mostChanges(documents: index.base.documentCount)
    try work.keepDocuments()
    guard try work.addDocuments(limit: limit) else { return nil }
    return try work.write(to: SearchIndex.changesPath(of: path))
  }

  /// Beyond, an index is rebuilt: until then an update takes a few hundredths of that, and a search
  /// looks into a few hundredths more.
  static func mostChanges(documents: Int) -> Int { max(1_024, documents / 32) }
}
