import DirectoryModel
import DirectorySnapshot
import OutlineEngine

/// All that a snapshot says, read by way of every question that can be asked of it.
struct SnapshotContents: Equatable {
  var lines: [String] = []

  /// - Throws: `SnapshotError`, and nothing else.
  init(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    lines.append("\(snapshot.metadata)")
    let visibility = try snapshot.visibilityRules()
    lines.append("\(visibility.rules) \(visibility.isUnderstood)")
    for (group, people) in visibility.groups.sorted(by: { $0.key < $1.key }) {
      lines.append("\(group) \(people.sorted())")
    }
    try addRows(snapshot)
    try addRecords(snapshot)
    try addScans(snapshot)
  }

  /// From front to back, as `tree` does.
  private mutating func addRows(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    let tree = try snapshot.tree()
    let (departments, users) = (try snapshot.departments(), try snapshot.users())
    let (memberships, contacts) = (try snapshot.memberships(), try snapshot.contacts())
    let fields = try snapshot.fields()
    lines.append("\(fields.declared)")
    var rows = try TreeRows(tree, below: nil)
    while let row = try rows.next(isOpen: { _, _ in true }) {
      let record = try tree.record(of: row.node)
      var line = "\(row) \(record) \(try tree.level(of: row.node))"
      line += " \(try tree.ancestors(of: row.node)) \(try tree.unplacedReason(of: row.node) ?? "")"
      if row.isDepartment {
        line += " \(try departments.ids[record]) \(try departments.names[record])"
        line += " \(try departments.descriptions[record]) \(try departments.people(of: record))"
        line += " \(try departments.sortOrders[record]) \(try departments.node(of: record))"
        line += " \(try fields.values(ofDepartment: record).text)"
        line += " \(try departments.identities[record])"
        var children = try tree.children(of: row.node)
        while let child = try children.next() { line += " \(child)" }
      } else {
        let user = try memberships.user(of: record)
        line += " \(try users.ids[user]) \(try users.names[user]) \(try contacts[.email][user])"
        line += " \(try contacts[.phone][user]) \(try memberships.titles[record])"
        line += " \(try memberships.isPrimary(record)) \(try memberships.sortOrders[record])"
        line += " \(try memberships.leads(record)) \(try fields.values(ofUser: user).text)"
        line += " \(try users.identities[user])"
      }
      lines.append(line)
    }
  }

  /// By id, as lookups do.
  private mutating func addRecords(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    let (departments, users) = (try snapshot.departments(), try snapshot.users())
    let (departmentIndex, userIndex) = (try snapshot.departmentIndex(), try snapshot.userIndex())
    let leaves = try snapshot.leaves()
    for row in 0..<departments.count {
      let id = try departments.ids[row]
      lines.append("\(row) \(try departmentIndex.row(of: id) ?? -1)")
    }
    for row in 0..<users.count {
      let id = try users.ids[row]
      lines.append("\(row) \(try userIndex.row(of: id) ?? -1) \(try leaves.nodes(of: row))")
    }
    lines.append("\(try userIndex.row(of: "nobody") ?? -1)")
    let tree = try snapshot.tree()
    for index in 0..<tree.unplacedCount { lines.append("\(try tree.unplaced(at: index))") }
  }

  /// Column by column, as search and sync do.
  private mutating func addScans(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    let (departments, users) = (try snapshot.departments(), try snapshot.users())
    let contacts = try snapshot.contacts()
    for column in [
      departments.ids, departments.names, departments.descriptions, users.ids, users.names,
      contacts[.email], contacts[.phone], try snapshot.memberships().titles,
      departments.identities, users.identities,
    ] {
      let rows = try column.verified()
      lines.append((0..<rows.count).map { rows[$0] }.joined(separator: " "))
    }
    var outline = OutlineState(try snapshot.hierarchy(), expandedLevels: 1)
    outline.expandAll()
    lines.append("\(outline.rows.map { "\($0)" })")
  }
}
