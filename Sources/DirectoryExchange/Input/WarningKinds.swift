import DirectoryModel
import Platform

/// Warnings by their kinds: the first of each kind, and how many there are.
struct WarningKinds: Sendable {
  private struct Kind {
    var name: String
    var first: InputProblem
    /// Others in the same words.
    var same = 0
    /// Others of the kind.
    var others = 0
  }

  /// Kinds that are kept; warnings of any further kind are only counted.
  private static let mostKinds = 1_000
  /// Kinds that a message names.
  private static let namedKinds = 10

  private var kinds: [Kind] = []
  private var places: [String: Int] = [:]
  /// Warnings of kinds that are not kept.
  private var unnamed = 0

  /// The reason without what is quoted in it: values differ, and their kind does not.
  ///
  ///     manager "Eve" matches no name in the files    manager … matches no name in the files
  ///
  /// A value may hold quotation marks itself, so that all from the first to the last one goes.
  static func kind(of reason: String) -> String {
    guard let first = reason.utf8.firstIndex(of: UInt8(ascii: "\"")),
      let last = reason.utf8.lastIndex(of: UInt8(ascii: "\"")), first < last
    else { return reason }
    return reason[..<first] + "…" + reason[reason.utf8.index(after: last)...]
  }

  mutating func add(_ warning: InputProblem, _ kind: String) {
    guard let place = place(of: kind, warning) else { return }
    if kinds[place].first.reason.utf8.elementsEqual(warning.reason.utf8) {
      kinds[place].same += 1
    } else {
      kinds[place].others += 1
    }
  }

  /// The place of a kind that is there; a new one is kept with the warning.
  private mutating func place(of kind: String, _ warning: InputProblem) -> Int? {
    if let place = places[kind] { return place }
    guard kinds.count < Self.mostKinds else {
      unnamed += 1
      return nil
    }
    places[kind] = kinds.count
    kinds.append(Kind(name: kind, first: warning))
    return nil
  }

  mutating func add(contentsOf other: WarningKinds) {
    for kind in other.kinds {
      guard let place = places[kind.name] else {
        guard kinds.count < Self.mostKinds else {
          unnamed += 1 + kind.same + kind.others
          continue
        }
        places[kind.name] = kinds.count
        kinds.append(kind)
        continue
      }
      if kinds[place].first.reason.utf8.elementsEqual(kind.first.reason.utf8) {
        kinds[place].same += 1 + kind.same
      } else {
        kinds[place].others += 1 + kind.same
      }
      kinds[place].others += kind.others
    }
    unnamed += other.unnamed
  }

  // MARK: What is told

  /// The first warnings of so many kinds.
  func first(_ limit: Int) -> [InputProblem] {
    kinds.prefix(limit).map { kind in
      guard kind.same > 0 else { return kind.first }
      var problem = kind.first
      let others = kind.same == 1 ? "1 other place" : "\(kind.same) other places"
      problem.reason += " (the same in \(others))"
      return problem
    }
  }

  /// Kinds with the number of warnings that `first` does not tell, most first.
  private func rest(_ limit: Int) -> [(name: String, count: Int)] {
    kinds.enumerated().map { place, kind in
      (kind.name, place < limit ? kind.others : 1 + kind.same + kind.others)
    }.filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
  }

  func furtherCount(_ limit: Int) -> Int { rest(limit).reduce(unnamed) { $0 + $1.count } }

  func further(_ limit: Int) -> String? {
    let rest = rest(limit)
    let count = rest.reduce(unnamed) { $0 + $1.count }
    guard count > 0 else { return nil }
    var parts = rest.prefix(Self.namedKinds).map { "\($0.name) (\($0.count))" }
    let others = rest.dropFirst(Self.namedKinds).reduce(unnamed) { $0 + $1.count }
    if others > 0 { parts.append("\(others) of other kinds") }
    return "\(counted(count, "more warning")), by kind: \(parts.joined(separator: "; "))"
  }
}
