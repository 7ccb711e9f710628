import DirectoryStore
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("The schema's files")
struct SchemaFilesTests {
  @Test func `are those that the binary carries`() throws {
    let embedded = EmbeddedFile.names.filter { $0.hasSuffix(".sql") }.sorted()
    #expect(try sqlFiles() == embedded)
    for name in embedded {
      #expect(try contents(of: folder + "/" + name) == EmbeddedFile.bytes(named: name), "\(name)")
    }
  }

  @Test func `are those of the steps, in the order of their names`() throws {
    #expect(
      Schema.migrations.map(\.version)
        == Array(Schema.baseline..<Schema.baseline + Schema.migrations.count)
    )
    var files = try sqlFiles()
    let first = files.removeFirst()
    #expect(first == Schema.upgradeFile)
    let scripts = try files.flatMap { try contents(of: folder + "/" + $0) }
    #expect(scripts == Schema.migrations.flatMap(\.script))
  }

  @Test func `make each function once`() throws {
    let text = String(decoding: Schema.migrations[0].script, as: UTF8.self)
    let functions = text.matches(of: #/create or replace function staffbook\.(\w+)/#).map(\.1)
    #expect(functions.count > 60)
    #expect(functions.count == Set(functions).count)
  }

  private var folder: String {
    let components = #filePath.split(separator: "/").dropLast(3)
    return "/" + components.joined(separator: "/") + "/Schema"
  }

  private func sqlFiles() throws -> [String] {
    try folderEntries(FilePath(folder)).filter { $0.hasSuffix(".sql") }.sorted()
  }

  private func contents(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte >= 0 { bytes.append(UInt8(byte)) }
    return bytes
  }
}
