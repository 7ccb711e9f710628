import ChangeHistory
import DirectoryModel
import Platform

extension ChangeConflict {
  /// As a person reads it, on one line, both values included.
  ///
  ///     Ada Lund (u1): phone is now "+49 30 1", not "+49 30 2"; Bo Ek changed it at 2026-11-22 16:04:05 +01:00
  ///
  /// It is data: what it holds may have to be made visible before a terminal shows it.
  ///
  /// - Parameter zone: Whose clock tells when it was.
  /// - Returns: The line.
  package func text(in zone: Zone) -> String {
    let subject = "\(kind == .department ? "department " : "")\(name) (\(id))"
    let trace =
      trace.map {
        "; \($0.actor) \(verb) it at \(LocalTime.text($0.at / 1_000_000, in: zone))"
      } ?? ""
    return switch cause {
    case .isThere: "\(subject) already exists\(trace)"
    case .isRemoved: "\(subject) no longer exists\(trace)"
    case .isAnother: "\(subject) no longer exists, and its id is now another's"
    case .differs(let item, let expected, let found, _):
      "\(subject): \(Self.text(item, expected, found))\(trace)"
    }
  }

  private var verb: String {
    switch cause {
    case .isThere: "added"
    case .isRemoved, .isAnother: "removed"
    case .differs: "changed"
    }
  }

  private static func text(_ item: Change.Item, _ expected: String?, _ found: String?) -> String {
    switch item {
    case .value(let column): "\(column.name) is now \(shown(found)), not \(shown(expected))"
    case .field(let name): "\(name) is now \(shown(found)), not \(shown(expected))"
    case .primary: "the department is now \(shown(found)), not \(shown(expected))"
    case .membership(let place):
      found == nil ? "is no longer in \(place)" : "is now in \(place)"
    case .membershipValue(let place, let column):
      "\(column.name) in \(place) is now \(shown(found)), not \(shown(expected))"
    }
  }

  private static func shown(_ value: String?) -> String { "\"\(value ?? "")\"" }
}
