/// Whoever wants to work on records while they still arrive.
package protocol RecordObserver: AnyObject, Sendable {
  /// A read begins, perhaps anew after one that failed: whatever arrived before is void.
  func readBegins()

  /// More rows have arrived: those of departments first, then users, then memberships.
  ///
  /// - Parameter records: All rows so far; borrowed, on the thread that reads.
  func rowsArrived(_ records: borrowing DirectoryRecords)
}
