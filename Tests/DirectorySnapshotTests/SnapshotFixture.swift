import DirectoryTestSupport
import Platform
import TestSupport
import DirectoryModel
import DirectorySnapshot
import SystemPackage
import Testing

/// A directory in even fewer words: everybody has something of everything.
///
/// An identity is made of the id if none is given; an empty one is none.
struct Fixture {
  private var company = Company()

  init() {
    company.records.fields = [Field(name: "office", of: .user, label: "Office", isVisible: false)]
    company.records.visibility = VisibilityRules(
      [VisibilityRule(id: 2, .hide, fields: ["office"], .colleagues, .group("council")), .base],
      groups: ["council": [UserID("u1"), UserID("u2")]]
    )
  }

  var records: DirectoryRecords {
    get { company.records }
    set { company.records = newValue }
  }

  mutating func department(
    _ id: String,
    under parent: String? = nil,
    name: String? = nil,
    order: Int64 = 0,
    identity: String? = nil
  ) throws {
    try company.department(
      id,
      under: parent,
      name: name,
      description: "about \(id)",
      order: order,
      fields: FieldValues(["site": .one("site of \(id)")]),
      identity: identity ?? "department \(id)"
    )
  }

  /// A user and the primary membership.
  mutating func user(
    _ id: String,
    in department: String,
    name: String? = nil,
    order: Int64 = 0,
    identity: String? = nil
  ) throws {
    try company.user(
      id,
      in: department,
      name: name,
      title: "title of \(id)",
      email: "\(id)@lumen.example",
      phone: "+1 555 0100",
      order: order,
      fields: FieldValues(["office": .one("office of \(id)")]),
      identity: identity ?? "user \(id)"
    )
  }

  mutating func member(_ user: String, of department: String, order: Int64 = 0) throws {
    try company.member(user, of: department, title: "title of \(user)", order: order)
  }

  func tree(locale: String = "und") throws -> DirectoryTree {
    try TreeBuilder.build(records, locale: locale)
  }
}

let anyMetadata = SnapshotMetadata(
  takenAt: 1_700_000_000,
  locale: "und",
  collationVersion: "1/test",
  source: "a test",
  watermark: ["epoch": "e", "layout": "l"]
)

/// Writes a tree and opens it again.
func reopened(
  _ tree: DirectoryTree,
  in folder: ScratchFolder
) throws -> DirectorySnapshot {
  try tree.write(to: folder.snapshot, metadata: anyMetadata)
  return try DirectorySnapshot(path: folder.snapshot)
}
