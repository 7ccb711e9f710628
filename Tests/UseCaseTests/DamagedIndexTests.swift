import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryTestSupport
import LiveDirectory
import Platform
import SiteSettings
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Searching with an index that is damaged")
struct DamagedIndexTests {
  private static let people = 2_100

  /// A session whose snapshot is there, and what it says.
  private final class Office: Sendable {
    let home: ScratchFolder
    let session: Session
    let said = Notices()

    final class Notices: Sendable {
      private let notices = Mutex<[String]>([])

      func add(_ notice: String) { notices.withLock { $0.append(notice) } }

      var count: Int { notices.withLock { $0.count } }
    }

    init() throws {
      home = try ScratchFolder()
      let settings = try Settings(environment: [
        "STAFFBOOK_HOME": home.path.string, "STAFFBOOK_LOCALE": "C",
      ])
      let said = said
      session = Session(settings: settings) { said.add("\($0)") }
      var company = Company()
      try company.department("d1", name: "Optics")
      for row in 0..<people {
        try company.user("u\(row)", in: "d1", name: "Ada Lund \(row)", title: "Grinder \(row % 7)")
      }
      try Folders.create(session.site.snapshots.folder)
      try company.write(to: session.site.snapshots.path)
    }

    var indexPath: FilePath { session.site.snapshots.searchIndexPath }

    /// Of a state of its own, as another process has it.
    func searcher() async throws -> DirectorySearcher {
      let session = Session(Hub(session.site), session.caller, tell: session.site.tell)
      return try await DirectoryOpener(session).directory().searcher()
    }
  }

  private func ids(_ searcher: DirectorySearcher, _ text: String) throws -> [String] {
    var options = SearchOptions(text)
    options.limit = 20
    var ids: [String] = []
    _ = try searcher.forEachHit(of: options) { ids.append($0.row.id) }
    return ids
  }

  /// Changes what is read by a search only: not the first block, which opening proves.
  private func damage(_ image: inout [UInt8]) {
    for at in stride(from: 70_000, to: image.count - 4_096, by: 97) { image[at] ^= 0x20 }
  }

  @Test func `goes on without it, and the next one makes it anew`() async throws {
    let office = try Office()
    let sound = try await office.searcher()
    #expect(sound.hasIndex)
    #expect(office.said.count == 1)
    let expected = try ids(sound, "lund 17")
    #expect(expected.count == 20)
    var image = try bytes(of: office.indexPath)
    damage(&image)
    try office.home.write(image, to: "damaged")
    let moved = office.home.path.appending("damaged").withPlatformString { from in
      office.indexPath.withPlatformString { rename(from, $0) }
    }
    #expect(moved == 0)
    let damaged = try await office.searcher()
    #expect(damaged.hasIndex)
    #expect(office.said.count == 1)
    #expect(try ids(damaged, "lund 17") == expected)
    #expect(try ids(damaged, "lund 17") == expected)
    // A program that another test is starting has all our files open for a moment, and holds the lock with
    // them: the index stays then, and no other one is made.
    try await wait(until: "the damaged index has been removed") {
      guard access(office.indexPath.string, F_OK) == 0 else { return true }
      let found = try await ids(office.searcher(), "lund 17")
      #expect(found == expected)
      return false
    }
    #expect(throws: Errno.noSuchFileOrDirectory) { try bytes(of: office.indexPath) }
    var renewed = try await office.searcher()
    try await wait(until: "there is an index again") {
      if !renewed.hasIndex { renewed = try await office.searcher() }
      return renewed.hasIndex
    }
    #expect(office.said.count == 2)
    #expect(try ids(renewed, "lund 17") == expected)
  }

  @Test func `does not take it away from a writer`() async throws {
    let office = try Office()
    _ = try await office.searcher()
    var image = try bytes(of: office.indexPath)
    damage(&image)
    let name = office.indexPath.string.dropFirst(office.home.path.string.count + 1)
    _ = office.indexPath.withPlatformString { unlink($0) }
    try office.home.write(image, to: String(name))
    let path = office.session.site.snapshots.folder.appending("writer.lock")
    guard let lock = try await FileLock.wait(for: path, waiting: {}) else {
      Issue.record("another process writes")
      return
    }
    #expect(try await ids(office.searcher(), "lund 17").count == 20)
    #expect(try bytes(of: office.indexPath) == image)
    _ = consume lock
  }
}
