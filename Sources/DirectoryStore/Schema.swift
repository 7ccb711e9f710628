import Platform

/// One step of the database's schema, applied once; its files may be run again, for a repair.
package struct Migration: Sendable {
  /// Number of the step; the names of its files begin with it.
  package let version: Int
  /// What the step is about.
  package let name: String
  /// UTF-8 of its SQL files, in the order of their names: statements to be run in one transaction.
  package let script: [UInt8]
  /// Whom the database serves after this step.
  package let service: Service

  /// The oldest programs that a database still serves after a step, by the newest step that they know.
  package struct Service: Hashable, Sendable {
    package var minReader: Int
    package var minWriter: Int
    /// Why; kept in the database beside the numbers.
    package var reason: String
  }

  package init(version: Int, name: String, script: [UInt8], service: Service) {
    self.version = version
    self.name = name
    self.script = script
    self.service = service
  }

  /// A step of which the program carries the files.
  ///
  /// - Precondition: There are some.
  init(version: Int, name: String, files: [String], service: Service) {
    precondition(!files.isEmpty, "step \(version) has no files")
    self.init(
      version: version,
      name: name,
      script: files.flatMap { EmbeddedFile.bytes(named: $0) },
      service: service
    )
  }
}

/// The schema `staffbook`, as the SQL files of the folder `Schema` build it up.
///
/// `CResources` embeds each of them; a test compares it with the folder.
package enum Schema {
  /// The step that makes the whole schema in an empty database; earlier ones are in it.
  package static let baseline = 17

  /// The steps from which a database is led to the baseline.
  package static let upgradable = 14..<baseline

  /// Every step, in the order in which they are applied; steps are only ever added.
  package static let migrations = [
    Migration(
      version: baseline,
      name: "baseline",
      files: baselineFiles,
      service: Migration.Service(
        minReader: baseline,
        minWriter: baseline,
        reason:
          "rules, groups and tokens mean the identity behind an id: a program that goes by the id alone "
          + "would show to a namesake what another person may see"
      )
    )
  ]

  /// The number of the newest step, which the program needs.
  package static var newestVersion: Int { migrations.last?.version ?? 0 }

  /// The files that make the baseline, without the one that leads an older database to it.
  package static var baselineFiles: [String] {
    EmbeddedFile.names.filter { $0.hasPrefix("0017_") && $0 != upgradeFile }.sorted()
  }

  /// The file that leads a database of an earlier step to the baseline, whose files are run after it.
  package static let upgradeFile = "0017_0_upgrade.sql"

  /// The steps that the baseline contains, by the names and SHA-256 digests that were recorded of them.
  static let formerSteps = [
    ("directory", "2b2be508c1f03b3a325df51812738d322a43ff8431317447babe2e48927f6531"),
    ("no_rings", "0ad060924e4f90217ff4d0e13799e60a67984d234e266d3ab2b824141a2aeeea"),
    ("change_tracking", "adfd1613550801a52a2a51120b391d891faf727062b4be27d9963ee7e570c543"),
    ("reader_role", "6e00b9579b15febe5c24867f6b7ab4c591eaa3fd0139b256bc95278a91f074d4"),
    ("accepted_deletions", "8e46c985b5d559ecf8ae008b53c7e80b2221c1e137d10c42692d3459306dd654"),
    ("fields", "c232c0ba818a8199953469390422d8aa2276e1bd80913aa03bbcb9e9958fbd19"),
    ("history", "2853e7f19a5fc6244924dbe1f3c704f2c8702ec40bf20a47cc545462234a99a5"),
    ("former_members", "f102b56bf0376e221e6c9c6cf07dceb401279da35cf66a96547e0842ecc46e50"),
    ("change_notices", "5e0c64ac0c229ea3454baacff03cd5534d4b59c5c8abb2f0d7b2ca62f6206814"),
    ("rights", "a6b777b4647aff121e8abb43b5f97c8dc80275a4bbfcf43bb99be03a25201b23"),
    ("forgetting", "85c8594793cce1946d9ed2c16f076d59ab65a71b9de5f20cd0a6740e0dac1ceb"),
    ("visibility", "55c178589845998ae81d5f29bfbd925175d3be489cdbe4c5927f89496ac0eefe"),
    ("sources", "c3decf579afec8d366aca2b0686663132a9497f3f50d4c9698138c42ac9532c7"),
    ("tokens", "1fc0cec1bd9b324e16d8f55557155b7f0cefbe0892c9ea61733547dc3c84cf60"),
    ("list_rights", "e211fee61d7922e1f8cd0c5d52d86d1c768ff81f38cfafeabdd5af435071520b"),
    ("rules_by_value", "b5433839bf72a2d366e08e66935cd7ec9d82172900c514c3103e3cd517981779"),
  ]
}
