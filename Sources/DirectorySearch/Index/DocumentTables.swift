import DirectorySnapshot
import OutlineEngine

/// Who the documents are and where: the sections that speak of rows and ordinals.
struct DocumentTables {
  /// By document: row of the user, or ordinal of the department with the upper bit.
  private(set) var records: [UInt32] = []
  private var places: [UInt32] = []
  private var furtherPlaces: [UInt32] = []
  private var unindexedDocuments: [UInt32] = []

  mutating func reserveCapacity(_ count: Int) {
    records.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// Adds numbers up to one that no document has.
  mutating func appendAbsent(upTo count: Int) {
    let added = repeatElement(SearchIndex.none, count: count - records.count)
    records.append(contentsOf: added)
    places.append(contentsOf: added)
  }

  /// Adds a document that is in one department.
  mutating func append(_ record: UInt32, place: UInt32) {
    records.append(record)
    places.append(place)
  }

  /// Adds a document that is in several departments, or in none.
  mutating func append(_ record: UInt32, places further: some Collection<UInt32>) {
    records.append(record)
    places.append(UInt32(furtherPlaces.count) | SearchIndex.departmentBit)
    furtherPlaces.append(UInt32(further.count))
    furtherPlaces.append(contentsOf: further)
  }

  /// Notes that the document added last does not fit in.
  mutating func markOdd() { unindexedDocuments.append(UInt32(records.count - 1)) }

  /// Adds the documents of a segment.
  mutating func append(_ segment: SegmentBuilder) {
    let hasOdd = segment.hasOdd
    for document in 0..<segment.count {
      let own = segment.places(of: document)
      if let place = own.first, own.count == 1 {
        append(segment.record(of: document), place: place)
      } else {
        append(segment.record(of: document), places: own)
      }
      if hasOdd, segment.isOdd(document) { markOdd() }
    }
  }

  /// Writes them, and the shape of the departments that they speak of.
  func write(
    users: Int,
    _ shape: DepartmentShape,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    var userDocuments = [UInt32](repeating: SearchIndex.none, count: users)
    var departmentDocuments = [UInt32](repeating: SearchIndex.none, count: shape.count)
    for (document, record) in records.enumerated() where record != SearchIndex.none {
      if record & SearchIndex.departmentBit == 0 {
        userDocuments[Int(record)] = UInt32(document)
      } else {
        departmentDocuments[Int(record & ~SearchIndex.departmentBit)] = UInt32(document)
      }
    }
    try writer.add(.documentRecords, records)
    try writer.add(.userDocuments, userDocuments)
    try writer.add(.departmentDocuments, departmentDocuments)
    try writer.add(.places, places)
    try writer.add(.furtherPlaces, furtherPlaces)
    try writer.add(.unindexedDocuments, unindexedDocuments)
    try writer.add(.departmentRows, Array(shape.rows))
    try writer.add(.departmentEnds, Array(shape.ends))
  }
}
