import DirectoryModel
import OutlineEngine
import Testing

@testable import DirectorySnapshot

@Suite("What cannot be placed")
struct UnplacedTests {
  private func reasons(_ tree: DirectoryTree) -> [String: String] {
    var reasons: [String: String] = [:]
    for (node, reason) in zip(tree.unplacedNodes, tree.unplacedReasons) {
      let record = Int(tree.nodeRecords[Int(node)])
      let id =
        tree.hierarchy.isGroup(Int(node))
        ? tree.records.departments.ids[record]
        : tree.records.users.ids[Int(tree.membershipUsers[record])]
      reasons[id] = reason
    }
    return reasons
  }

  private func names(below name: String, in tree: DirectoryTree) -> [String] {
    let rows = (0..<tree.records.departments.count)
    guard let row = rows.first(where: { tree.records.departments.names[$0] == name }) else {
      return []
    }
    return tree.hierarchy.children(of: Int(tree.departmentNodes[row])).map { node in
      let record = Int(tree.nodeRecords[node])
      return tree.hierarchy.isGroup(node)
        ? tree.records.departments.names[record]
        : tree.records.users.names[Int(tree.membershipUsers[record])]
    }
  }

  @Test func `an orphan goes under Unplaced with all below it and says why`() throws {
    var fixture = Fixture()
    try fixture.department("root")
    try fixture.department("lost", under: "nowhere")
    try fixture.department("child", under: "lost")
    try fixture.user("ada", in: "child")
    let tree = try fixture.tree()
    #expect(reasons(tree) == ["lost": "its parent nowhere is unknown"])
    #expect(names(below: "Unplaced", in: tree) == ["lost"])
    #expect(names(below: "lost", in: tree) == ["child"])
    #expect(names(below: "child", in: tree) == ["ada"])
  }

  @Test func `a ring is opened at one member and named whole`() throws {
    var fixture = Fixture()
    try fixture.department("root")
    try fixture.department("a", under: "c")
    try fixture.department("b", under: "a")
    try fixture.department("c", under: "b")
    try fixture.department("hanging", under: "b")
    let tree = try fixture.tree()
    #expect(reasons(tree).count == 1)
    let reason = try #require(reasons(tree).values.first)
    #expect(reason.hasPrefix("its parents form a cycle: "))
    for id in ["a", "b", "c"] { #expect(reason.contains(id)) }
    #expect(!reason.contains("hanging"))
    #expect(tree.hierarchy.count == 6)
  }

  @Test func `people whose department, or who themselves, are unknown are shown`() throws {
    var fixture = Fixture()
    try fixture.department("root")
    try fixture.user("ada", in: "gone")
    try fixture.member("nobody", of: "root")
    try fixture.records.users.append(
      UserRecord(id: UserID("bo"), primaryDepartment: DepartmentID("root"), name: "Bo")
    )
    let tree = try fixture.tree()
    #expect(
      reasons(tree) == [
        "ada": "the department gone is unknown",
        "nobody": "a membership in department root names the unknown user nobody",
        "bo": "belongs to no department",
      ]
    )
    #expect(names(below: "Unplaced", in: tree) == ["ada", "Bo", "nobody"])
    let unplaced = tree.records.departments.count - 1
    #expect(tree.departmentPeople[unplaced] == 2)
  }

  @Test func `who does not belong to the primary department is shown with it, beside all others`()
    throws
  {
    var fixture = Fixture()
    try fixture.department("primary")
    try fixture.department("other")
    try fixture.records.users.append(
      UserRecord(id: UserID("ada"), primaryDepartment: DepartmentID("primary"), name: "Ada")
    )
    try fixture.member("ada", of: "other")
    try fixture.records.users.append(
      UserRecord(id: UserID("bo"), primaryDepartment: DepartmentID(""), name: "Bo")
    )
    try fixture.member("bo", of: "other")
    let tree = try fixture.tree()
    #expect(reasons(tree) == ["ada": "has no membership in its primary department primary"])
    #expect(names(below: "Unplaced", in: tree) == ["Ada"])
    #expect(names(below: "other", in: tree) == ["Ada", "Bo"])
  }

  @Test func `a repeated id is shown once in its place and once under Unplaced`() throws {
    var fixture = Fixture()
    try fixture.department("twice", name: "first")
    try fixture.department("twice", name: "second")
    try fixture.user("u", in: "twice", name: "One")
    try fixture.records.users.append(
      UserRecord(id: UserID("u"), primaryDepartment: DepartmentID("twice"), name: "Two")
    )
    let tree = try fixture.tree()
    #expect(names(below: "Unplaced", in: tree) == ["second", "Two"])
    #expect(names(below: "first", in: tree) == ["One"])
  }

  @Test func `a sound directory has no Unplaced`() throws {
    var fixture = Fixture()
    try fixture.department("root")
    let tree = try fixture.tree()
    #expect(tree.records.departments.count == 1)
    #expect(tree.unplacedNodes.isEmpty)
  }
}
