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
  /// How often lists write a name so, by the path without regard to case and blanks.
  private var spellings: [[UInt8]: [[UInt8]: Int]] = [:]
  /// The spelling that is taken, where there are several.
  private var chosen: [[UInt8]: [UInt8]] = [:]

  /// Counts how names are written, before the first row is read.
  mutating func learn(_ names: [[UInt8]], given: [[UInt8]]) {
    // What is deeper is refused.
    guard names.count <= Self.deepest else { return }
    for (index, key) in Self.keys(names, given) {
      spellings[key, default: [:]][names[index], default: 0] += 1
    }
  }

  /// Chooses the most frequent spelling of each name, so that the ids that are made of paths are the
  /// same whichever row comes first.
  mutating func settle() {
    for (key, counts) in spellings where counts.count > 1 {
      chosen[key] =
        counts.max {
          $0.value == $1.value ? $1.key.lexicographicallyPrecedes($0.key) : $0.value < $1.value
        }?.key
    }
    spellings = [:]
  }

  /// The names as they are to be written, and those that were written otherwise.
  func spelled(
    _ names: [[UInt8]],
    given: [[UInt8]]
  ) -> (names: [[UInt8]], others: [(written: [UInt8], taken: [UInt8])]) {
    guard !chosen.isEmpty, names.count <= Self.deepest else { return (names, []) }
    var spelled = names
    var others: [(written: [UInt8], taken: [UInt8])] = []
    for (index, key) in Self.keys(names, given) {
      guard let name = chosen[key], name != names[index] else { continue }
      spelled[index] = name
      others.append((names[index], name))
    }
    return (spelled, others)
  }

  /// The paths down to each name without regard to case and blanks; departments with different ids
  /// are different.
  private static func keys(
    _ names: [[UInt8]],
    _ given: [[UInt8]]
  ) -> [(index: Int, key: [UInt8])] {
    var path: [UInt8] = []
    return names.indices.map { index in
      let isPlain = names[index].allSatisfy { $0 < 0x80 }
      path +=
        isPlain
        ? names[index].compactMap {
          $0 == 0x20 ? nil : (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        : Array(String(decoding: names[index], as: UTF8.self).lowercased().utf8)
          .filter { $0 != 0x20 }
      let place = index - (names.count - given.count)
      path.append(0)
      if place >= 0 { path += given[place] }
      path.append(0)
      return (index, path)
    }
  }

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
  ) throws(PersonnelListError) -> [UInt8] {
    if names == lastNames, given == lastGiven { return lastID }
    guard names.count <= Self.deepest else {
      throw PersonnelListError(reason: "its department has more than \(Self.deepest) levels")
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
  private mutating func agree(_ id: [UInt8], _ path: [UInt8]) throws(PersonnelListError) {
    if let other = paths[id], other != path {
      throw PersonnelListError(
        reason:
          "the department id \(QuotedValue.text(id)) is that of \(QuotedValue.text(path)) here, and of "
          + "\(QuotedValue.text(other)) before"
      )
    }
    if let other = ids[path], other != id {
      throw PersonnelListError(
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
  ) throws(PersonnelListError) -> [[UInt8]] {
    let given = columns.values[.departmentID].map { $0.map { PersonnelColumns.text($0, record) } }
    guard let levels = columns.values[.department] else {
      // Departments that are there already.
      guard let id = given?.last else { return [] }
      return CellText.parts(of: id, by: mapping.several)
    }
    var places: [[UInt8]] = []
    for (written, ids) in ways(levels, given ?? [], record) {
      let (names, others) = departments.spelled(written, given: ids)
      for (other, name) in others {
        rows.warn(
          "the department \(QuotedValue.text(other)) is taken for \(QuotedValue.text(name)), from "
            + "which it differs in case or blanks only",
          line: record.line
        )
      }
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

  /// The names of each department of a row from the top down, with the ids that the row gives them.
  private func ways(
    _ levels: [PersonnelColumns.Value],
    _ given: [[UInt8]],
    _ record: CSVRecord
  ) -> [(names: [[UInt8]], ids: [[UInt8]])] {
    let texts = levels.map { PersonnelColumns.text($0, record) }
    let ways =
      texts.count == 1 ? CellText.parts(of: texts[0], by: mapping.several).map { [$0] } : [texts]
    var found: [(names: [[UInt8]], ids: [[UInt8]])] = []
    for way in ways {
      let names = way.flatMap { CellText.parts(of: $0, by: mapping.levels) }
      if !names.isEmpty { found.append((names, ways.count == 1 ? Self.paired(given, way) : [])) }
    }
    return found
  }

  /// Learns how a row writes the names of its departments.
  mutating func learnDepartments(_ record: CSVRecord, _ columns: PersonnelColumns) {
    guard let levels = columns.values[.department] else { return }
    let given = columns.values[.departmentID].map { $0.map { PersonnelColumns.text($0, record) } }
    for (names, ids) in ways(levels, given ?? [], record) { departments.learn(names, given: ids) }
  }

  /// Ids for the names that are not empty: a level without a name has no id either.
  private static func paired(_ given: [[UInt8]], _ texts: [[UInt8]]) -> [[UInt8]] {
    guard given.count == texts.count else { return given }
    return zip(given, texts).filter { !$0.1.isEmpty }.map(\.0)
  }
}
