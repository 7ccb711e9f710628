import DirectoryModel
import Synchronization
import TextRules

/// What can be done for a tree while its records still arrive: indexes of ids, the beginnings of
/// sort keys, and the references of memberships.
///
///     let preparation = TreePreparation(locale: "und")
///     let records = …                                 // with `preparation` as the observer
///     let tree = try TreeBuilder.build(records, preparation)
///
/// A read waits for the server much of its time; this is what it does meanwhile.
package final class TreePreparation: RecordObserver {
  private let locale: String
  private let hash: SipHash13
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var hasBegun = false
    var rows: PreparedRows?
    /// Why there are none.
    var failure: TextRulesError?

    mutating func begin(locale: String, hash: SipHash13) {
      hasBegun = true
      do throws(TextRulesError) {
        rows = try PreparedRows(locale: locale, hash: hash)
      } catch {
        failure = error
      }
    }
  }

  /// Nothing is opened before rows arrive.
  ///
  /// - Parameters:
  ///   - locale: The directory's locale for the order of names, as `Collator` takes it.
  ///   - hash: The hash of the id indexes.
  package init(locale: String, hash: SipHash13 = .random()) {
    self.locale = locale
    self.hash = hash
  }

  package func readBegins() { state.withLock { $0 = State() } }

  package func rowsArrived(_ records: borrowing DirectoryRecords) {
    state.withLock { state in
      if !state.hasBegun { state.begin(locale: locale, hash: hash) }
      state.rows?.advance(records)
    }
  }

  /// Does what is left and hands it over.
  func finish(_ records: borrowing DirectoryRecords) throws(TextRulesError) -> PreparedRows {
    rowsArrived(records)
    if let failure = state.withLock({ $0.failure }) { throw failure }
    guard let rows = state.withLock({ $0.rows.take() }) else {
      preconditionFailure("a preparation serves one tree")
    }
    return rows
  }
}

/// What is known of the rows that have arrived.
struct PreparedRows: ~Copyable {
  /// Stands for a row that an id does not lead to.
  static let unknown = UInt32.max

  private(set) var departments: IdentifierIndexBuilder
  private(set) var users: IdentifierIndexBuilder
  /// Beginnings of the names' sort keys, by row.
  private(set) var departmentPrefixes: [UInt64] = []
  private(set) var userPrefixes: [UInt64] = []
  /// Row of the user of each membership, or `unknown`.
  private(set) var membershipUsers: [UInt32] = []
  /// Row of the department of each membership, or `unknown`.
  private(set) var membershipDepartments: [UInt32] = []
  /// Bit set over memberships.
  private(set) var primary: [UInt64] = []
  /// Memberships whose user or department is unknown, rising.
  private(set) var unresolved: [Int] = []

  private var prefixes: SortKeyPrefixes
  /// Memberships mostly come in the order of their users.
  private var expectedUser = 0

  init(locale: String, hash: SipHash13) throws(TextRulesError) {
    // At first: what is initialised in part cannot be thrown away.
    prefixes = try SortKeyPrefixes(locale: locale)
    departments = IdentifierIndexBuilder(hash: hash)
    users = IdentifierIndexBuilder(hash: hash)
  }

  /// Looks at all rows that it has not seen; references lead to rows that have arrived.
  ///
  /// - Complexity: O(rows), expected.
  mutating func advance(_ records: borrowing DirectoryRecords) {
    records.departments.ids.withView { departments.advance($0) }
    records.users.ids.withView { users.advance($0) }
    advanceNames(records)
    guard membershipUsers.count < records.memberships.count else { return }
    resolveMemberships(records)
  }

  /// Makes the beginnings of the keys of names that were added since.
  mutating func advanceNames(_ records: borrowing DirectoryRecords) {
    records.departments.names.withView { names in
      Self.extend(&departmentPrefixes, names, &prefixes)
    }
    records.users.names.withView { names in Self.extend(&userPrefixes, names, &prefixes) }
  }

  /// Appends the whole sort key of a name.
  func appendKey(of utf8: UnsafeRawBufferPointer, to keys: inout [UInt8]) {
    prefixes.appendKey(of: utf8, to: &keys)
  }

  private static func extend(
    _ made: inout [UInt64],
    _ names: TextView,
    _ prefixes: inout SortKeyPrefixes
  ) {
    for row in made.count..<names.count { made.append(prefixes.prefix(of: names[row])) }
  }

  private mutating func resolveMemberships(_ records: borrowing DirectoryRecords) {
    let count = records.memberships.count
    primary.append(contentsOf: repeatElement(0, count: (count + 63) / 64 - primary.count))
    records.departments.ids.withView { departmentIDs in
      records.users.ids.withView { userIDs in
        records.users.primaryDepartments.withView { primaries in
          records.memberships.users.withView { users in
            records.memberships.departments.withView { departments in
              let columns = Columns(
                users: users,
                departments: departments,
                userIDs: userIDs,
                departmentIDs: departmentIDs,
                primaries: primaries
              )
              resolve(membershipUsers.count..<count, columns)
            }
          }
        }
      }
    }
  }

  /// The columns of ids that memberships are resolved by.
  private struct Columns {
    var users: TextView
    var departments: TextView
    var userIDs: TextView
    var departmentIDs: TextView
    var primaries: TextView
  }

  private mutating func resolve(_ rows: Range<Int>, _ columns: Columns) {
    let blockSize = IdentifierIndexBuilder.blockSize
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: blockSize) { digests in
      var start = rows.lowerBound
      while start < rows.upperBound {
        let block = start..<min(start + blockSize, rows.upperBound)
        departments.fetch(block, of: columns.departments, in: columns.departmentIDs, digests)
        for row in block { resolve(row, digests[row - start], columns) }
        start = block.upperBound
      }
    }
  }

  @inline(__always)
  private mutating func resolve(_ row: Int, _ digest: UInt64, _ columns: Columns) {
    let departmentID = columns.departments[row]
    let user = user(columns.users[row], columns.userIDs)
    let department = departments.row(
      of: departmentID,
      digest: digest,
      in: columns.departmentIDs
    )
    membershipUsers.append(user.map { UInt32(truncatingIfNeeded: $0) } ?? Self.unknown)
    membershipDepartments.append(department.map { UInt32(truncatingIfNeeded: $0) } ?? Self.unknown)
    if user == nil || department == nil { unresolved.append(row) }
    guard let user else { return }
    expectedUser = user + 1
    guard sameBytes(columns.primaries[user], departmentID) else { return }
    primary[row / 64] |= 1 << UInt64(row % 64)
  }

  /// The user of a membership: the expected one, the one before, or the one that the index names.
  @inline(__always)
  private func user(_ id: UnsafeRawBufferPointer, _ ids: TextView) -> Int? {
    if !repeatsUsers {
      if expectedUser < ids.count, sameBytes(ids[expectedUser], id) { return expectedUser }
      if expectedUser > 0, sameBytes(ids[expectedUser - 1], id) { return expectedUser - 1 }
    }
    return users.row(of: id, in: ids)
  }

  /// An id that is there twice leads to its first row; the next one may be another.
  private var repeatsUsers: Bool { !users.repeats.isEmpty }
}
