import DirectoryModel
import SQLite

/// A row of the journal's `transactions`: what one sync found, or what was erased.
struct JournalTransaction {
  var number: Int64
  /// Microseconds since 1970, UTC.
  var at: Int64
  /// Checksum of the snapshot that the changes start from; `nil` where the record begins.
  var former: UInt64?
  /// Checksum of the snapshot that they lead to.
  var latter: UInt64
  var hasForgotten = false
  /// How many changes it has, by kind and action.
  var counts = ChangeTotals()

  static let columns = "number, at, former, latter, has_forgotten, departments, users, checksum"

  init(number: Int64, at: Int64, from former: UInt64?, to latter: UInt64) {
    (self.number, self.at, self.former, self.latter) = (number, at, former, latter)
  }

  /// Reads a row of `columns`.
  init(_ row: borrowing SQLiteStatement) throws(SQLiteError) {
    number = row.number(0)
    at = row.number(1)
    former = row.isNull(2) ? nil : UInt64(bitPattern: row.number(2))
    latter = UInt64(bitPattern: row.number(3))
    hasForgotten = row.number(4) != 0
    guard let departments = ChangeCounts(journalText: row.text(5)),
      let users = ChangeCounts(journalText: row.text(6))
    else { throw .damaged("transaction \(number)") }
    counts = ChangeTotals(departments: departments, users: users)
    guard row.number(7) == checksum else { throw .damaged("transaction \(number)") }
  }

  var values: [SQLiteValue] {
    [
      .number(number), .number(at),
      former.map { .number(Int64(bitPattern: $0)) } ?? .text(nil),
      .number(Int64(bitPattern: latter)), .number(hasForgotten ? 1 : 0),
      .text(counts.departments.journalText), .text(counts.users.journalText), .number(checksum),
    ]
  }

  private var checksum: Int64 {
    JournalDatabase.checksum([
      "\(number) \(at) \(former.map { "\($0)" } ?? "") \(latter) \(hasForgotten)",
      counts.departments.journalText, counts.users.journalText,
    ])
  }

  /// How many rows of `changes` belong to it.
  var changeCount: Int { counts.departments.touched + counts.users.touched }

  var isBeginning: Bool { former == nil }

  /// What a person reads of it.
  var recorded: RecordedTransaction {
    RecordedTransaction(
      number: number,
      at: at,
      role: "",
      rows: counts,
      isFound: true,
      hasForgotten: hasForgotten,
      isBeginning: isBeginning
    )
  }
}

extension ChangeCounts {
  /// One number for each action, in their order: `1 0 0 2`.
  fileprivate var journalText: String {
    Change.Action.allCases.map { "\(self[$0])" }.joined(separator: " ")
  }

  fileprivate init?(journalText: String?) {
    // Numbers of this size can be added up.
    let numbers = (journalText ?? "").split(separator: " ").compactMap {
      UInt32($0).map { Int($0) }
    }
    guard numbers.count == Change.Action.allCases.count else { return nil }
    self.init(added: numbers[0], changed: numbers[1], moved: numbers[2], removed: numbers[3])
  }
}
