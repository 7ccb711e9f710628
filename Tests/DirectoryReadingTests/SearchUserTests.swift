import DirectoryModel
import DirectoryTestSupport
import DirectorySnapshot
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryReading

@Suite("Searches by the person whom the configuration names")
struct AskerTests {
  /// How often the user was told that no one is meant.
  private final class WarningCount: Sendable {
    let times = Mutex(0)
  }

  private func directory(me: String?, told: WarningCount = WarningCount()) throws -> Directory {
    var company = Company()
    try company.department("root", name: "Fernlicht")
    try company.department("lamps", under: "root", name: "Lamps")
    try company.department("horns", under: "root", name: "Horns")
    try company.user("far", in: "horns", name: "Ada Ek")
    try company.user("near", in: "lamps", name: "Ada Lindholm")
    try company.user("me", in: "lamps", name: "Zoë Winter", email: "zoe@fernlicht.example")
    let scratch = try ScratchFolder()
    try company.write(to: scratch.snapshot)
    let asker = SearchUser(me: me) { told.times.withLock { $0 += 1 } }
    return try Directory(
      DirectorySnapshot(path: scratch.snapshot),
      for: .everything,
      asker: asker
    )
  }

  private func rows(_ text: String, _ directory: Directory) throws -> [SearchRow] {
    var options = SearchOptions(text)
    options.explains = true
    var rows: [SearchRow] = []
    _ = try directory.searcher().forEachHit(of: options) { rows.append($0) }
    return rows
  }

  @Test(arguments: ["me", "zoe winter", "ZOE@fernlicht.example"])
  func `find who is near first, and are told why`(me: String) throws {
    let told = WarningCount()
    let rows = try rows("ada", directory(me: me, told: told))
    #expect(rows.map(\.row.id) == ["near", "far"])
    #expect(rows.map(\.shared) == ["Lamps", "Fernlicht"])
    #expect(told.times.withLock { $0 } == 0)
  }

  @Test(arguments: ["nobody", "", "zoë \u{1B}[31m", String(repeating: "x ", count: 5_000)])
  func `are the same without, if no one person is meant`(me: String) throws {
    let told = WarningCount()
    let directory = try directory(me: me, told: told)
    for _ in 0..<2 {
      let rows = try rows("ada", directory)
      #expect(rows.map(\.row.id) == ["far", "near"])
      #expect(rows.map(\.shared) == [nil, nil])
    }
    #expect(told.times.withLock { $0 } == (me.isEmpty ? 0 : 1))
  }
}
