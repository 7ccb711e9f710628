import DirectoryExchange
import DirectoryModel

/// A company of any size, made by arithmetic: every department and person follows from the seed
/// and its own number, so nothing is kept while writing.
struct GeneratedCompany {
  let people: Int
  let departments: Int
  let seed: UInt64
  /// Whether people and departments have the values of `SampleFields`.
  let hasFields: Bool
  /// Children of a department, were all of them to have the same.
  private let fan: Int
  private let personDigits: Int
  private let departmentDigits: Int
  private let words = SampleWords.embedded

  /// Levels that departments never exceed.
  static let levels = 7

  init(people: Int, departments: Int, seed: UInt64, hasFields: Bool) {
    self.hasFields = hasFields
    self.people = people
    self.departments = departments
    self.seed = seed
    fan = Self.fan(departments)
    personDigits = max(6, String(people).count)
    departmentDigits = max(4, String(departments).count)
  }

  func write(to files: inout SampleFiles) throws(DirectoryError) {
    for index in 0..<departments { try writeDepartment(index, to: &files.departments) }
    for index in 0..<people { try writePerson(index, to: &files.users) }
    for index in 0..<people { try writeMemberships(index, to: &files.memberships) }
  }

  /// The smallest fan-out, 4 or more, that puts all departments on `levels` levels.
  private static func fan(_ departments: Int) -> Int {
    var fan = 4
    while (0..<levels).reduce(
      (sum: 0, width: 1),
      { level, _ in
        (level.sum + level.width, level.width * fan)
      }
    ).sum < departments {
      fan += 1
    }
    return fan
  }
}

// MARK: - Departments

extension GeneratedCompany {
  /// Streams of random numbers, so that none repeats another.
  private enum Stream {
    static let department: UInt64 = 1
    static let parent: UInt64 = 2
    static let person: UInt64 = 3
    static let place: UInt64 = 4
    static let further: UInt64 = 5
    static let fields: UInt64 = 6
  }

  private func random(_ stream: UInt64, _ index: Int) -> SplitMix64 {
    SplitMix64(seed: seed, stream: stream, index: index)
  }

  /// The department above; always one with a smaller number.
  ///
  /// In a tree of constant fan-out it would be `(index − 1) / fan`. Going up to an eighth further
  /// back gives some departments many children and others none, and makes no level deeper.
  func parent(of index: Int) -> Int? {
    guard index > 0 else { return nil }
    let regular = (index - 1) / fan
    var random = random(Stream.parent, index)
    return regular - random.below(regular / 8 + 1)
  }

  func level(of index: Int) -> Int {
    var level = 0
    var above = parent(of: index)
    while let department = above {
      level += 1
      above = parent(of: department)
    }
    return level
  }

  /// A department without people, as there are in every company.
  private func isVacant(_ index: Int) -> Bool { index % 23 == 22 }

  private func writeDepartment(_ index: Int, to file: inout SampleFile) throws(DirectoryError) {
    var random = random(Stream.department, index)
    let above = parent(of: index)
    let name = words.departmentName(level: level(of: index), &random)
    let description = random.oneIn(4) ? words.description(&random) : ""
    try file.append(
      [
        departmentID(index), above.map(departmentID) ?? "", name, description,
        String(random.below(10) * 10),
      ] + (hasFields ? [SampleFields.costCentre(index)] : [])
    )
  }

  private func departmentID(_ index: Int) -> String {
    var id: [UInt8] = []
    appendID("d", index, departmentDigits, to: &id)
    return String(decoding: id, as: UTF8.self)
  }
}

// MARK: - People

extension GeneratedCompany {
  /// The department that a person mainly works in; each of the first ones heads one of them.
  ///
  /// Every sixteenth department is large, and has half of the others.
  func primaryDepartment(of index: Int) -> Int {
    var department = index
    if index >= departments {
      var random = random(Stream.place, index)
      department =
        random.oneIn(2) ? random.below((departments + 15) / 16) * 16 : random.below(departments)
    }
    while isVacant(department), let above = parent(of: department) { department = above }
    return department
  }

  /// The further departments of a person: none of them the primary one, all different.
  func furtherDepartments(of index: Int) -> [Int] {
    var random = random(Stream.further, index)
    guard random.oneIn(10), departments > 1 else { return [] }
    let primary = primaryDepartment(of: index)
    let offset = 1 + random.below(departments - 1)
    let first = (primary + offset) % departments
    guard random.oneIn(10), departments > 2 else { return [first] }
    return [first, (primary + 1 + offset % (departments - 1)) % departments]
  }

  private func writePerson(_ index: Int, to file: inout SampleFile) throws(DirectoryError) {
    var random = random(Stream.person, index)
    let department = primaryDepartment(of: index)
    let isHead = isHead(index, of: department)
    appendID("u", index, personDigits, to: &file.bytes)
    appendID(",d", department, departmentDigits, to: &file.bytes)
    file.bytes.append(UInt8(ascii: ","))
    let name = random.pick(Languages.all.wide).append(to: &file.bytes, &random)
    appendField(
      isHead ? words.headTitle(level: level(of: department)) : words.title(&random),
      to: &file.bytes
    )
    appendAddress(name, index, &random, to: &file.bytes)
    appendPhone(&random, to: &file.bytes)
    file.bytes.append(contentsOf: (isHead ? ",0" : ",10").utf8)
    if hasFields { appendFields(of: index, department, isHead: isHead, to: &file.bytes) }
    file.bytes.append(contentsOf: "\r\n".utf8)
    try file.flush()
  }

  private func isHead(_ index: Int, of department: Int) -> Bool {
    index < departments && department == index
  }

  private func appendFields(
    of index: Int,
    _ department: Int,
    isHead: Bool,
    to bytes: inout [UInt8]
  ) {
    var random = random(Stream.fields, index)
    for value in [isHead ? "true" : ""] + SampleFields.values(&random) {
      bytes.append(UInt8(ascii: ","))
      bytes.append(contentsOf: value.utf8)
    }
    bytes.append(UInt8(ascii: ","))
    if let manager = manager(of: index, department) {
      appendID("u", manager, personDigits, to: &bytes)
    }
  }

  /// The head of the department, or of the nearest one above that has another one.
  private func manager(of index: Int, _ department: Int) -> Int? {
    var at: Int? = department
    while let department = at {
      if department != index, department < people, primaryDepartment(of: department) == department {
        return department
      }
      at = parent(of: department)
    }
    return nil
  }

  private func writeMemberships(_ index: Int, to file: inout SampleFile) throws(DirectoryError) {
    for department in furtherDepartments(of: index) {
      var random = random(Stream.further, index &+ department)
      appendID("u", index, personDigits, to: &file.bytes)
      appendID(",d", department, departmentDigits, to: &file.bytes)
      appendField(words.title(&random), to: &file.bytes)
      file.bytes.append(contentsOf: Self.furtherEnd)
      try file.flush()
    }
  }

  private static let furtherEnd = Array(",20\r\n".utf8)

  private func appendField(_ field: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(contentsOf: field)
  }

  /// One in twenty has no address.
  private func appendAddress(
    _ name: GeneratedName,
    _ index: Int,
    _ random: inout SplitMix64,
    to bytes: inout [UInt8]
  ) {
    bytes.append(UInt8(ascii: ","))
    if random.oneIn(20) { return }
    name.appendAddress(to: &bytes)
    appendID(".", index, 1, to: &bytes)
    bytes.append(contentsOf: SampleWords.domain)
  }

  /// One in three has no telephone.
  private func appendPhone(_ random: inout SplitMix64, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: ","))
    if random.oneIn(3) { return }
    random.pick(FictionalPhone.all).append(random.below(10_000), to: &bytes)
  }

  private func appendID(
    _ prefix: StaticString,
    _ number: Int,
    _ digits: Int,
    to bytes: inout [UInt8]
  ) {
    prefix.withUTF8Buffer { bytes.append(contentsOf: $0) }
    let start = bytes.count
    var rest = number
    repeat {
      bytes.append(0x30 + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || bytes.count - start < digits
    bytes[start...].reverse()
  }
}
