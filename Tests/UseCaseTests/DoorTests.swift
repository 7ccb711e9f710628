import SystemPackage
import Testing
import TestSupport

/// Who may use a function of a use case, and why they see no more than they may.
private enum Access {
  /// Anybody: it is given a session, and answers by what the caller sees (HalfSeenTests).
  case anybody
  /// Anyone who sees everything, for a reason; it is given an `Administrator`, which no one else
  /// can have.
  case administrators(String)
  /// Only use cases, which hand on what a caller sees: it is given a site, which no front takes
  /// (`scripts/lint`); a site's own functions are theirs, too.
  case useCases
}

/// Every function of the use cases, by type and name.
///
/// A function that is not here fails the test: say who may call it, seeing what.
private let doors: [String: Access] = [
  "LiveDirectory.Administrator.site": .useCases,
  "LiveDirectory.DirectoryOpener.directory": .anybody,
  "LiveDirectory.DirectoryOpener.directoryAtHand": .anybody,
  "LiveDirectory.DirectoryOpener.staleness": .anybody,
  "LiveDirectory.DirectoryWatch.watch": .administrators(report),
  "LiveDirectory.Hub.checkedAt": .anybody,
  "LiveDirectory.Hub.directory": .useCases,
  "LiveDirectory.Hub.isLongLived": .anybody,
  "LiveDirectory.Hub.madeClasses": .anybody,
  "LiveDirectory.Hub.replacements": .anybody,
  "LiveDirectory.Hub.visibility": .useCases,
  "LiveDirectory.SavedViews.change": .anybody,
  "LiveDirectory.SavedViews.view": .anybody,
  "LiveDirectory.SnapshotSync.sync": .administrators(report),
  "LiveDirectory.SyncJournal.forget": .useCases,
  "LiveDirectory.SyncJournal.keep": .useCases,
  "LiveDirectory.TokenHolders.holder": .administrators(
    "it says who holds a token, to a program that answers for others"
  ),

  "ChangeHistory.DirectoryJournal.forget": .useCases,
  "ChangeHistory.DirectoryJournal.keep": .useCases,
  "ChangeHistory.DirectoryJournal.open": .useCases,
  "ChangeHistory.HistoryReader.blame": .anybody,
  "ChangeHistory.HistoryReader.formerPeople": .anybody,
  "ChangeHistory.HistoryReader.differences": .anybody,
  "ChangeHistory.HistoryReader.directory": .anybody,
  "ChangeHistory.HistoryReader.log": .anybody,
  "ChangeHistory.HistoryReader.noTransaction": .anybody,
  "ChangeHistory.HistoryReader.severalRemoved": .anybody,
  "ChangeHistory.HistoryReader.subject": .anybody,

  "DirectoryWriting.DirectoryImport.importFiles": .administrators(
    "a list replaces what it does not name: its plan and its refusals name every record"
  ),
  "DirectoryWriting.DirectoryImport.job": .administrators("it is the way to an import"),
  "DirectoryWriting.DirectoryImport.suggestMapping": .administrators("it is the way to an import"),
  "DirectoryWriting.DirectoryWriter.edit": .anybody,
  "DirectoryWriting.FieldDeclarations.addField": .administrators(declarations),
  "DirectoryWriting.FieldDeclarations.declaredFields": .administrators(declarations),
  "DirectoryWriting.FieldDeclarations.removeField": .administrators(declarations),
  "DirectoryWriting.FieldDeclarations.sampleImport": .administrators("it is an import"),
  "DirectoryWriting.ListSources.removeSource": .administrators(lists),
  "DirectoryWriting.ListSources.renameSource": .administrators(lists),
  "DirectoryWriting.ListSources.sources": .administrators(lists),
  "DirectoryWriting.HistoryUndo.restore": .administrators(whole),
  "DirectoryWriting.HistoryUndo.undo": .administrators(whole),
  "LiveDirectory.ViewerLookUp.hasID": .administrators(
    "whether an id is another's shows who was there"
  ),
  "LiveDirectory.ViewerLookUp.person": .administrators(
    "whether a name matches shows who is there"
  ),
  "LiveDirectory.ViewerLookUp.session": .administrators(rules),
  "LiveDirectory.ViewerLookUp.sessionAtHand": .administrators(rules),
  "LiveDirectory.ViewerLookUp.viewer": .administrators(rules),
  "DirectoryWriting.VisibilityAdministration.confirmed": .administrators(rules),
  "DirectoryWriting.VisibilityAdministration.edit": .administrators(rules),
  "DirectoryWriting.VisibilityAdministration.explain": .administrators(rules),
  "DirectoryWriting.VisibilityAdministration.preview": .administrators(rules),
  "DirectoryWriting.VisibilityAdministration.rules": .administrators(rules),
  "DirectoryWriting.VisibilityAdministration.write": .administrators(rules),
  "DirectoryWriting.DocumentEditor.edit": .administrators(
    "what is missing in the text is removed, and what others changed is told with its values"
  ),

  "Administration.Backup.backup": .administrators("a backup has everything"),
  "Administration.Backup.restoreBackup": .administrators("it replaces everything"),
  "Administration.DatabaseServer.client": .administrators(server),
  "Administration.DatabaseServer.databaseURL": .administrators(server),
  "Administration.DatabaseServer.holdsPassword": .administrators(server),
  "Administration.DatabaseServer.migrate": .administrators(server),
  "Administration.DatabaseServer.repairSchema": .administrators(server),
  "Administration.DatabaseServer.startServer": .administrators(server),
  "Administration.DatabaseServer.stopServer": .administrators(server),
  "Administration.Doctor.examine": .administrators("it names unplaced and faulty records"),
  "Administration.HistoryRetention.catchUpHistory": .administrators(kept),
  "Administration.HistoryRetention.forget": .administrators(kept),
  "Administration.HistoryRetention.keepHistory": .administrators(kept),
  "Administration.StatusReport.dataFolder": .administrators(status),
  "Administration.StatusReport.json": .administrators(status),
  "Administration.StatusReport.server": .administrators(status),
  "Administration.StatusReport.snapshot": .administrators(status),
  "Administration.StatusReport.source": .administrators(status),
  "Administration.StatusReport.watcher": .administrators(status),
  "Administration.TokenAdministration.addDevice": .administrators(tokens),
  "Administration.TokenAdministration.addToken": .administrators(tokens),
  "Administration.TokenAdministration.devices": .administrators(tokens),
  "Administration.TokenAdministration.removeDevice": .administrators(tokens),
  "Administration.TokenAdministration.removeTokens": .administrators(tokens),
  "Administration.TokenAdministration.tokens": .administrators(tokens),
]

private let report =
  "a report of a sync counts and names changes of everything, and so do its brakes"
private let declarations = "declarations and how many records have a value are those of all fields"
private let lists = "how many people a list brought is a count of all of them"
private let rules = "rules name what they hide"
private let whole = "it restores records as they were, with what a caller does not see of them"
private let server = "it is about the server, whose users see what it grants them"
private let kept = "it erases what everybody else can see"
private let tokens = "a token's maker can act as any person, and the list names people"
private let status = "it counts everything, and says where the database is"

/// A function of a use case as the source declares it.
private struct DeclaredDoor: Hashable {
  var name: String
  /// What its type is made of: `Session`, `Administrator` or `Site`.
  var given: String
}

@Suite("The doors to a directory")
struct DoorTests {
  private static let targets = [
    "LiveDirectory", "ChangeHistory", "DirectoryWriting", "Administration",
  ]

  /// The Swift files of a target.
  private static func files(of target: String) throws -> [String] {
    let root = FilePath(#filePath).removingLastComponent().removingLastComponent()
      .removingLastComponent().appending("Sources").appending(target)
    var folders = [root]
    var files: [String] = []
    while let folder = folders.popLast() {
      for name in try folderEntries(folder).sorted() {
        let path = folder.appending(name)
        if name.hasSuffix(".swift") {
          files.append(String(decoding: try bytes(of: path), as: UTF8.self))
        } else {
          folders.append(path)
        }
      }
    }
    return files
  }

  /// The functions and properties of types that are made of a session, an administrator or a site.
  private static func declared() throws -> Set<DeclaredDoor> {
    var doors: Set<DeclaredDoor> = []
    for target in targets {
      var given: [String: String] = [:]
      var members: [(type: String, name: String)] = []
      for file in try Self.files(of: target) {
        var type = ""
        // A long list of parameters begins in the next line.
        for line in file.replacing("init(\n    ", with: "init(").split(separator: "\n") {
          guard line.hasPrefix("  ") else {
            if let match = line.firstMatch(
              of: /^(?:package )?(?:final )?(?:struct|class|enum|extension|protocol) ([A-Z][\w.]*)/
            ) {
              type = String(match.1)
            }
            continue
          }
          if line.hasPrefix("   ") { continue }
          if let match = line.firstMatch(
            of: /^  (?:package |private )?init\??\(.*\b(Session|Administrator|Site)\b/
          ), given[type] == nil || match.1 == "Administrator" {
            given[type] = String(match.1)
          }
          if let match = line.firstMatch(
            of: /^  package (?:static )?(?:mutating )?(?:func|var) (\w+)/
          ) {
            members.append((type, String(match.1)))
          }
        }
      }
      for (type, name) in members {
        guard type != "Site", let given = given[type] else { continue }
        doors.insert(DeclaredDoor(name: "\(target).\(type).\(name)", given: given))
      }
    }
    return doors
  }

  @Test func `are all in the list, each with who may go through`() throws {
    let declared = try Self.declared()
    let names = Set(declared.map(\.name))
    #expect(names.subtracting(doors.keys).sorted() == [], "not in the list")
    #expect(Set(doors.keys).subtracting(names).sorted() == [], "not in the source")
    for door in declared {
      guard let access = doors[door.name] else { continue }
      switch access {
      case .anybody:
        // A hub is asked with a session.
        #expect(door.given == "Session" || door.name.contains(".Hub."), "\(door)")
      case .administrators(let reason):
        #expect(door.given == "Administrator" && !reason.isEmpty, "\(door)")
      case .useCases: #expect(["Site", "Session"].contains(door.given), "\(door)")
      }
    }
  }
}
