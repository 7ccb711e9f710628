import DirectoryStore
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("The schema's files")
struct SchemaFilesTests {
  @Test func `are those that the binary carries, in the declared order`() throws {
    let names = Schema.migrations.map(\.fileName)
    #expect(try sqlFiles() == names)
    #expect(Schema.migrations.map(\.version) == Array(1...names.count))
  }

  @Test func `are carried byte for byte`() throws {
    for migration in Schema.migrations {
      let file = try contents(of: folder + "/" + migration.fileName)
      #expect(file == migration.script, "\(migration.fileName)")
    }
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
