import Platform

/// One step of the database's schema, applied once and never changed afterwards.
package struct Migration: Sendable {
  /// Number of the step, from 1 without gaps; the file's name begins with it.
  package let version: Int
  /// What the step is about: the file's name without number and suffix.
  package let name: String
  package let fileName: String
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
  }

  /// Describes a step; without `script`, it is the file of that name, which the program carries.
  package init(version: Int, name: String, script: [UInt8]? = nil, service: Service? = nil) {
    self.version = version
    self.name = name
    self.service = service
    fileName = String(String(10_000 + version).dropFirst()) + "_\(name).sql"
    self.script = script ?? EmbeddedFile.bytes(named: fileName)
  }
}

/// The schema `staffbook`, as the SQL files of the folder `Schema` build it up.
///
/// `CResources` embeds each of them; a test compares it with the folder.
package enum Schema {
  /// Every step, in the order in which they are applied; steps are only ever added.
  package static let migrations: [Migration] = {
    var migrations: [Migration] = []
    for file in EmbeddedFile.names.filter({ $0.hasSuffix(".sql") }).sorted() {
      let version = migrations.count + 1
      let former = migrations.last?.service.map {
        Migration.Service(
          minReader: $0.minReader,
          minWriter: $0.minWriter,
          reason: "it serves whom step \(version - 1) serves"
        )
      }
      let name = String(file.dropFirst(5).dropLast(4))
      migrations.append(
        Migration(version: version, name: name, service: services[version] ?? former)
      )
    }
    return migrations
  }()

  /// Whom the database serves after a step; after another one, whom it served before.
  private static let services = [
    10: Migration.Service(
      minReader: 10,
      minWriter: 10,
      reason: "programs that know fewer steps accept no other number than their own"
    ),
    11: Migration.Service(
      minReader: 10,
      minWriter: 10,
      reason: "it adds a kind of change and functions, which programs that know step 10 leave out"
    ),
    12: Migration.Service(
      minReader: 10,
      minWriter: 10,
      reason:
        "rules bind those who ask a program, not its database user, who is shown what the user "
        + "may read, as before; what older programs write breaks no rule"
    ),
    13: Migration.Service(
      minReader: 10,
      minWriter: 10,
      reason: "it adds tables that only imports of lists read; ids that change are followed"
    ),
    14: Migration.Service(
      minReader: 10,
      minWriter: 10,
      reason:
        "it adds tables that only servers and administrators read; the database itself ends the "
        + "tokens of people whom older programs remove"
    ),
    15: Migration.Service(
      minReader: 10,
      minWriter: 10,
      reason: "it takes what lists own from readers, who have no use for it; editors keep it"
    ),
    16: Migration.Service(
      minReader: 10,
      minWriter: 10,
      reason: "rules by a value that is somebody's id follow the person, whichever program writes"
    ),
  ]
}
