import DirectorySnapshot
import Outlines
import SystemPackage
import TextRules

/// A search index, mapped: what `SearchIndexBuilder` wrote, for one state of a snapshot.
package struct SearchIndex: Sendable {
  /// What was found in an index's place.
  package enum State: Sendable {
    case usable(SearchIndex)
    case missing
    /// Of another snapshot, or for other rules of telephone numbers or readings.
    case foreign
    case unusable(SnapshotError)
  }

  let documentCount: Int
  let records: SnapshotColumn<UInt32>
  let userDocuments: SnapshotColumn<UInt32>
  let departmentDocuments: SnapshotColumn<UInt32>
  let places: SnapshotColumn<UInt32>
  let furtherPlaces: SnapshotColumn<UInt32>
  let oddDocuments: SnapshotColumn<UInt32>
  let shape: DepartmentShape
  let phones: PhoneColumns
  /// The rules that telephone numbers were read by.
  package let rules: PhoneRules
  let contacts: ContactsColumn
  let names: FieldDictionaries
  let titles: FieldDictionaries
  let departments: FieldDictionaries
  package let byteCount: Int

  /// Opens the index that belongs to a snapshot.
  ///
  /// - Parameters:
  ///   - path: Where it should be.
  ///   - snapshot: What it must belong to.
  ///   - rules: The rules it must have been made for; `nil` for any.
  /// - Returns: The index, or why there is none; search then goes without.
  /// - Complexity: O(1) but for 8 bytes for each 64 KiB, and the departments.
  package static func open(
    _ path: FilePath,
    for snapshot: DirectorySnapshot,
    phones rules: PhoneRules?
  ) -> State {
    do throws(SnapshotError) {
      let file = try SnapshotFile(path: path, format: SearchIndexFormat.format)
      guard let index = try SearchIndex(file, snapshot, rules) else { return .foreign }
      return .usable(index)
    } catch .missing {
      return .missing
    } catch {
      return .unusable(error)
    }
  }

  /// `nil` when it is of another snapshot or for other rules.
  private init?(
    _ file: SnapshotFile,
    _ snapshot: DirectorySnapshot,
    _ wanted: PhoneRules?
  ) throws(SnapshotError) {
    func column(_ section: IndexSection) throws(SnapshotError) -> SnapshotColumn<UInt32> {
      try file.column(section.rawValue, as: UInt32.self)
    }
    let header = try file.column(IndexSection.header.rawValue, as: UInt64.self).verified()
    let text = try file.column(IndexSection.phoneRules.rawValue, as: UInt8.self).verified()
    guard header.count == 6 else { throw file.damaged(IndexSection.header.rawValue) }
    guard header[0] == snapshot.checksum, header[1] == ReadingTable.version,
      let rules = PhoneRules(text: Array(text)), rules == wanted ?? rules
    else { return nil }
    self.rules = rules
    let users = try snapshot.users().count
    let departmentCount = try snapshot.departments().count
    records = try column(.documentRecords)
    documentCount = records.count
    userDocuments = try column(.userDocuments)
    departmentDocuments = try column(.departmentDocuments)
    places = try column(.places)
    furtherPlaces = try column(.furtherPlaces)
    oddDocuments = try column(.oddDocuments)
    let shape = DepartmentShape(
      rows: try column(.departmentRows).verified(),
      ends: try column(.departmentEnds).verified()
    )
    guard let shape else { throw file.damaged(IndexSection.departmentRows.rawValue) }
    self.shape = shape
    guard header[2] == UInt64(documentCount), header[3] == UInt64(users),
      header[4] == UInt64(departmentCount), userDocuments.count == users,
      departmentDocuments.count == departmentCount, places.count == documentCount,
      shape.count == departmentCount, header[5] <= UInt64(Int32.max)
    else { throw file.damaged(IndexSection.header.rawValue) }
    phones = try PhoneColumns(file)
    contacts = try ContactsColumn(file, documents: documentCount, rowCount: Int(header[5]))
    names = try FieldDictionaries(file, .names)
    titles = try FieldDictionaries(file, .titles)
    departments = try FieldDictionaries(file, .departments)
    byteCount = file.byteCount
  }

  var blockCount: Int { contacts.blockCount }

  private static let departmentBit: UInt32 = 1 << 31

  /// What a document is.
  enum Record {
    case user(Int)
    /// By ordinal.
    case department(Int)
  }

  func record(of document: Int) throws(SnapshotError) -> Record {
    let record = try records[document]
    if record & Self.departmentBit == 0 {
      guard Int(record) < userDocuments.count else { throw records.damaged }
      return .user(Int(record))
    }
    let ordinal = Int(record & ~Self.departmentBit)
    guard ordinal < shape.count else { throw records.damaged }
    return .department(ordinal)
  }

  /// Whether any of the departments that a document is in passes a test, by ordinal.
  func anyPlace(
    of document: Int,
    _ test: (Int) -> Bool
  ) throws(SnapshotError) -> Bool {
    let place = try places[document]
    if place & Self.departmentBit == 0 {
      guard Int(place) < shape.count else { throw places.damaged }
      return test(Int(place))
    }
    for index in try furtherRange(Int(place & ~Self.departmentBit)) {
      let further = Int(try furtherPlaces[index])
      guard further < shape.count else { throw furtherPlaces.damaged }
      if test(further) { return true }
    }
    return false
  }

  private func furtherRange(_ index: Int) throws(SnapshotError) -> Range<Int> {
    let count = Int(try furtherPlaces[index])
    guard index + 1 + count <= furtherPlaces.count else { throw furtherPlaces.damaged }
    return index + 1..<index + 1 + count
  }
}

/// By what a field's texts are found.
struct FieldDictionaries: Sendable {
  let words: WordDictionary
  let variants: WordDictionary
  let readings: ReadingDictionary

  init(_ file: SnapshotFile, _ section: IndexSection) throws(SnapshotError) {
    words = try WordDictionary(file, section, isOfVariants: false)
    variants = try WordDictionary(file, section, isOfVariants: true)
    readings = try ReadingDictionary(file, section)
  }
}
