import DirectoryModel
import DirectorySnapshot

/// What a snapshot says, by names and ids only: two that say the same have the same lines, however
/// their rows are numbered.
func content(of snapshot: DirectorySnapshot) throws -> [String] {
  try snapshot.verify()
  let tree = try snapshot.tree()
  let (departments, users) = (try snapshot.departments(), try snapshot.users())
  let (contacts, memberships) = (try snapshot.contacts(), try snapshot.memberships())
  let fields = try snapshot.fields()
  var lines = fields.declared.map { "\($0)" }
  for node in 0..<tree.count {
    let row = try tree.record(of: node)
    var line = "\(try tree.level(of: node)) ^\(try tree.parent(of: node) ?? -1)"
    line += " \(try tree.subtree(of: node).upperBound) \(try tree.unplacedReason(of: node) ?? "")"
    if try tree.isDepartment(node) {
      line += " D \(try departments.ids[row]) | \(try departments.names[row])"
      line += " | \(try departments.descriptions[row]) | \(try departments.sortOrders[row])"
      line += " | \(try departments.people(of: row)) \(try departments.node(of: row) == node)"
      line += " | \(try fields.values(ofDepartment: row).text)"
      line += " | \(try departments.identities[row])"
    } else {
      let user = try memberships.user(of: row)
      line += " U \(try users.ids[user]) | \(try users.names[user]) | \(try contacts[.email][user])"
      line += " | \(try contacts[.phone][user]) | \(try memberships.titles[row])"
      line += " | \(try memberships.sortOrders[row]) \(try memberships.isPrimary(row))"
      line += " | \(try memberships.leads(row)) \(try fields.values(ofUser: user).text)"
      line += " | \(try users.identities[user])"
    }
    lines.append(line)
  }
  return lines + (try lookups(in: snapshot))
}

/// What the indexes say of every id there is, and of one that is not.
private func lookups(in snapshot: DirectorySnapshot) throws -> [String] {
  let (departments, users) = (try snapshot.departments(), try snapshot.users())
  let (departmentIndex, userIndex) = (try snapshot.departmentIndex(), try snapshot.userIndex())
  let leaves = try snapshot.leaves()
  var lines: [String] = []
  for row in 0..<departments.count {
    let id = try departments.ids[row]
    lines.append("D \(id) \(try departmentIndex.row(of: id) == row)")
  }
  for row in 0..<users.count {
    let id = try users.ids[row]
    lines.append("U \(id) \(try userIndex.row(of: id) == row) \(try leaves.nodes(of: row))")
  }
  lines.append("\(try departmentIndex.row(of: "nobody") ?? -1)")
  lines.append("\(try userIndex.row(of: "nobody") ?? -1)")
  return lines.sorted()
}
