/// One edit as the user asks for it: records by the names that people use.
package enum Edit: Sendable {
  case addUser(name: String, department: String, id: String?, title: String?, values: [String])
  case addDepartment(name: String, parent: String?, id: String?, values: [String])
  /// `FIELD=VALUE` and so on, as `Assignment` reads them.
  case set(who: String, values: [String])
  case rename(who: String, name: String)
  /// Departments go with everything below; people leave `from`, or else their primary department.
  /// No department to go to is the top level.
  case move(who: [String], to: String?, from: String?)
  case join(who: String, department: String, title: String?)
  case leave(who: String, department: String)
  case primary(who: String, department: String)
  /// Those named come first, in this order.
  case order(department: String, who: [String])
  case remove(who: [String], recursive: Bool, peopleTo: String?)
  /// The second is the same person as the first, who stays; what becomes of the rules about the second is
  /// asked where it is not said.
  case merge(who: String, double: String, rules: MergedRules.Choice? = nil)

  /// What is being done, for messages.
  var doing: String {
    switch self {
    case .addUser(let name, _, _, _, _): "add \(name)"
    case .addDepartment(let name, _, _, _): "add the department \(name)"
    case .set(let who, _): "change \(who)"
    case .rename(let who, _): "rename \(who)"
    case .move(let who, _, _): "move \(Self.list(who))"
    case .join(let who, let department, _): "add \(who) to \(department)"
    case .leave(let who, let department): "remove \(who) from \(department)"
    case .primary(let who, _): "change the primary department of \(who)"
    case .order(let department, _): "order \(department)"
    case .merge(let who, let double, _): "merge \(double) into \(who)"
    case .remove(let who, _, _): "remove \(Self.list(who))"
    }
  }

  private static func list(_ who: [String]) -> String {
    who.count > 3 ? "\(who[0]) and \(who.count - 1) more" : who.joined(separator: ", ")
  }
}
