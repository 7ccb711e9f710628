import DirectoryModel

/// What people and departments of the invented companies carry beyond the built-in fields.
package enum SampleFields {
  /// As a database has to declare them before the companies are imported with them.
  package static let declared =
    departmentNames.map { Field(usual: $0, of: .department) }
    + userNames.map { Field(usual: $0, of: .user) }

  static let departmentNames = ["cost_centre"]
  /// Behind `leads`, which is not declared.
  static let userNames = ["mobile", "office", "languages", "joined", "manager"]

  /// The cost centre of a department.
  static func costCentre(_ index: Int) -> String { String(1_000 + index * 10) }

  /// The first four values of a person; one in two has no mobile, one in eight no office.
  static func values(_ random: inout SplitMix64) -> [String] {
    [
      random.oneIn(2) ? "" : FictionalPhone.mobile.number(random.below(1_000)),
      random.oneIn(8) ? "" : office(&random), languages(&random), joined(&random),
    ]
  }

  /// Building, floor and room.
  private static func office(_ random: inout SplitMix64) -> String {
    let building = random.pick(["A", "B", "C", "D"])
    let (floor, room) = (random.below(6), 1 + random.below(40))
    return "\(building)\(floor).\(room < 10 ? "0" : "")\(room)"
  }

  /// One to three, all different.
  private static func languages(_ random: inout SplitMix64) -> String {
    let all = SampleWords.embedded.languages
    let first = random.below(all.count)
    return (0...random.below(3)).map { all[(first + $0 * 7) % all.count] }.joined(separator: ";")
  }

  private static func joined(_ random: inout SplitMix64) -> String {
    let (year, month, day) = (1_984 + random.below(41), 1 + random.below(12), 1 + random.below(28))
    return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
  }
}
