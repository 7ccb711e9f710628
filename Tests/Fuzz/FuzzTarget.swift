/// One reader that is fed with what a fuzzer makes up.
///
/// A further target is one more line in `all`.
struct FuzzTarget: Sendable {
  let name: String
  /// What the fuzzer begins with: inputs that are sound.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Reads an input; errors are an answer, traps and reads out of bounds are findings.
  let read: @Sendable (UnsafeRawBufferPointer) -> Void

  static let all: [FuzzTarget] = [
    FuzzTarget(name: "snapshot", seeds: SnapshotSeeds.files, read: SnapshotReading.file),
    FuzzTarget(name: "numbers", seeds: SnapshotSeeds.edits, read: SnapshotReading.edits),
    FuzzTarget(name: "query", seeds: QueryReading.seeds, read: QueryReading.read),
    FuzzTarget(name: "csv", seeds: ListReport.csvSeeds, read: ListReport.csv),
    FuzzTarget(name: "json", seeds: ListReport.jsonSeeds, read: ListReport.json),
    FuzzTarget(name: "ldif", seeds: ListReport.ldifSeeds, read: ListReport.ldif),
    FuzzTarget(name: "vcard", seeds: ListReport.vCardSeeds, read: ListReport.vCard),
    FuzzTarget(name: "personnel", seeds: ListReport.personnelSeeds, read: ListReport.personnel),
    FuzzTarget(name: "workbook", seeds: ListReport.workbookSeeds, read: ListReport.workbook),
  ]
}
