/// One step of the database's schema, applied once and never changed afterwards.
package struct Migration: Sendable {
  /// Number of the step, from 1 without gaps; the file's name begins with it.
  package let version: Int
  /// What the step is about: the file's name without number and suffix.
  package let name: String
  /// UTF-8 of the SQL script: several statements, to be run in one transaction.
  package let script: [UInt8]
  /// Whom the database serves after this step; `nil` for the steps before `Service` existed, after which
  /// only programs of the very same version worked.
  package let service: Service?

  /// The oldest programs that a database still serves after a step, by the newest step that they know.
  package struct Service: Hashable, Sendable {
    package var minReader: Int
    package var minWriter: Int
    /// Why; kept in the database beside the numbers.
    package var reason: String

    package init(minReader: Int, minWriter: Int, reason: String) {
      self.minReader = minReader
      self.minWriter = minWriter
      self.reason = reason
    }
  }

  package init(version: Int, name: String, script: [UInt8], service: Service? = nil) {
    self.version = version
    self.name = name
    self.script = script
    self.service = service
  }

  package var fileName: String {
    let digits = String(version)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(name).sql"
  }
}

/// The schema `staffbook`, as the SQL files beside this one build it up.
///
/// The files are embedded one by one, so that a file without a line here is not in the binary; a
/// test compares both with the folder. SwiftPM drops the first digit from a generated name.
package enum Schema {
  /// Every step, in the order in which they are applied; steps are only ever added.
  package static let migrations = [
    Migration(version: 1, name: "directory", script: PackageResources._001_directory_sql),
    Migration(version: 2, name: "no_rings", script: PackageResources._002_no_rings_sql),
    Migration(
      version: 3,
      name: "change_tracking",
      script: PackageResources._003_change_tracking_sql
    ),
    Migration(version: 4, name: "reader_role", script: PackageResources._004_reader_role_sql),
    Migration(
      version: 5,
      name: "accepted_deletions",
      script: PackageResources._005_accepted_deletions_sql
    ),
    Migration(version: 6, name: "fields", script: PackageResources._006_fields_sql),
    Migration(version: 7, name: "history", script: PackageResources._007_history_sql),
    Migration(
      version: 8,
      name: "former_members",
      script: PackageResources._008_former_members_sql
    ),
    Migration(
      version: 9,
      name: "change_notices",
      script: PackageResources._009_change_notices_sql
    ),
    Migration(
      version: 10,
      name: "rights",
      script: PackageResources._010_rights_sql,
      service: Migration.Service(
        minReader: 10,
        minWriter: 10,
        reason: "programs that know fewer steps accept no other number than their own"
      )
    ),
    Migration(
      version: 11,
      name: "forgetting",
      script: PackageResources._011_forgetting_sql,
      service: Migration.Service(
        minReader: 10,
        minWriter: 10,
        reason: "it adds a kind of change and functions, which programs that know step 10 leave out"
      )
    ),
    Migration(
      version: 12,
      name: "visibility",
      script: PackageResources._012_visibility_sql,
      service: Migration.Service(
        minReader: 10,
        minWriter: 10,
        reason:
          "rules bind those who ask a program, not its database user, who is shown what the user "
          + "may read, as before; what older programs write breaks no rule"
      )
    ),
  ]
}
