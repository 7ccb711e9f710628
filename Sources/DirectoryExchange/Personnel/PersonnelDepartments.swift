import DirectoryModel

/// The departments that the rows of personnel lists have named so far.
struct PersonnelDepartments {
  /// Levels of the deepest; a sheet has fewer, and a value made of nothing but slashes has more.
  static let deepest = 100

  /// Paths by the ids of those that were made.
  private(set) var paths: [[UInt8]: [UInt8]] = [:]
  /// Ids by path.
  private var ids: [[UInt8]: [UInt8]] = [:]
  /// What the last row had, since lists are often sorted.
  private var lastNames: [[UInt8]] = []
  private var lastGiven: [[UInt8]] = []
  private var lastID: [UInt8] = []

  /// Finds the department at the end of a way, and makes those on it that are not there.
  ///
  /// - Parameters:
  ///   - names: Of the departments, from the top down.
  ///   - given: Their ids; those at the top may lack, and an empty one is made of the path.
  ///   - make: Called with a department that is new: its id, name and parent.
  /// - Returns: The id of the last.
  /// - Throws: Where there are too many levels, or ids that contradict each other.
  mutating func id(
    of names: [[UInt8]],
    given: [[UInt8]],
    make: (_ id: [UInt8], _ name: [UInt8], _ parent: [UInt8]?) -> Void
  ) throws(PersonnelFault) -> [UInt8] {
    if names == lastNames, given == lastGiven { return lastID }
    guard names.count <= Self.deepest else {
      throw PersonnelFault(reason: "its department has more than \(Self.deepest) levels")
    }
    var parent: [UInt8]?
    for index in names.indices {
      let path = VCardGroups.id(ofWay: names[...index])
      let place = index - (names.count - given.count)
      let id = place >= 0 && !given[place].isEmpty ? given[place] : path
      try agree(id, path)
      if paths[id] == nil {
        paths[id] = path
        ids[path] = id
        make(id, names[index], parent)
      }
      parent = id
    }
    (lastNames, lastGiven, lastID) = (names, given, parent ?? [])
    return lastID
  }

  /// Throws where one department would have two ids, or one id two departments.
  private mutating func agree(_ id: [UInt8], _ path: [UInt8]) throws(PersonnelFault) {
    if let other = paths[id], other != path {
      throw PersonnelFault(
        reason:
          "the department id \(QuotedValue.text(id)) is that of \(QuotedValue.text(path)) here, and of "
          + "\(QuotedValue.text(other)) before"
      )
    }
    if let other = ids[path], other != id {
      throw PersonnelFault(
        reason:
          "the department \(QuotedValue.text(path)) has the id \(QuotedValue.text(id)) here, and \(QuotedValue.text(other)) "
          + "before"
      )
    }
  }
}

extension PersonnelReader {
  /// The ids of a row's departments, made where they are new.
  mutating func departmentIDs(
    _ record: CSVRecord,
    _ columns: PersonnelColumns
  ) throws(PersonnelFault) -> [[UInt8]] {
    let given = columns.values[.departmentID].map { $0.map { PersonnelColumns.text($0, record) } }
    guard let levels = columns.values[.department] else {
      // Departments that are there already.
      guard let id = given?.last else { return [] }
      return CellText.parts(of: id, by: mapping.several)
    }
    let texts = levels.map { PersonnelColumns.text($0, record) }
    let ways =
      texts.count == 1 ? CellText.parts(of: texts[0], by: mapping.several).map { [$0] } : [texts]
    var places: [[UInt8]] = []
    for way in ways {
      let names = way.flatMap { CellText.parts(of: $0, by: mapping.levels) }
      guard !names.isEmpty else { continue }
      let ids = ways.count == 1 ? Self.paired(given ?? [], way) : []
      var new: [(id: [UInt8], name: [UInt8], parent: [UInt8]?)] = []
      let id = try departments.id(of: names, given: ids) { new.append(($0, $1, $2)) }
      for (id, name, parent) in new {
        rows.begin(.department, id: id, parent: parent, name: name)
        rows.finish(line: record.line, isImplied: true)
      }
      if !places.contains(id) { places.append(id) }
    }
    return places
  }

  /// Ids for the names that are not empty: a level without a name has no id either.
  private static func paired(_ given: [[UInt8]], _ texts: [[UInt8]]) -> [[UInt8]] {
    guard given.count == texts.count else { return given }
    return zip(given, texts).filter { !$0.1.isEmpty }.map(\.0)
  }
}
