import SystemPackage
import TestSupport
import Testing

/// Programs of two versions use one home, as while a company's machines are upgraded one by one.
@Suite("Files of another version")
struct OtherVersionTests {
  /// Where a snapshot and an index have their version, 32 bits in little-endian order.
  private static let place = 8

  private func withCompany(_ body: (Book, _ cache: FilePath) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      let cache = book.home.appending("cache")
      let source = try #require(try folderEntries(cache).first)
      try await body(book, cache.appending(source))
    }
  }

  private func version(of path: FilePath) throws -> UInt8 { try bytes(of: path)[Self.place] }

  /// Makes a sound file one of the version before, or of the one after.
  private func change(_ path: FilePath, by step: Int) throws {
    let file = try FileDescriptor.open(path, .readWrite)
    let version = UInt8(Int(try version(of: path)) + step)
    _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: Int64(Self.place), [version]) }
  }

  @Test(arguments: [-1, 1])
  func `a snapshot is not read, and the next one is made of the database`(_ step: Int) async throws
  {
    try await withCompany { book, cache in
      let snapshot = cache.appending("directory.snapshot")
      let ours = try version(of: snapshot)
      // What the file holds is no longer so: whoever reads it shows Ada's old number.
      try book.script("update staffbook.users set phone = '+1 555 0199' where id = 'u1'")
      try change(snapshot, by: step)
      let shown = try await book.run("show", "id:u1", "--json")
      #expect(shown.status == 0, "\(shown)")
      #expect(values(of: "phone", in: [shown.stdout]) == ["+1 555 0199"], "\(shown)")
      #expect(try version(of: snapshot) == ours)
      let aside = FilePath(snapshot.string + ".unusable")
      if step > 0 {
        // A program of that version may still want it.
        #expect(try version(of: aside) == ours + 1)
        #expect(
          shown.stderr.reads(
            "staffbook: the snapshot \(snapshot) has format \(ours + 1), which is newer than this program "
              + "supports; it is kept as \(aside)"
          ),
          "\(shown)"
        )
      } else {
        #expect(shown.stderr.reads(""), "\(shown)")
        #expect(try !folderEntries(cache).contains("directory.snapshot.unusable"))
      }
    }
  }

  @Test(arguments: [-1, 1])
  func `an index finds nothing, and the next sync makes another`(_ step: Int) async throws {
    try await withCompany { book, cache in
      let index = cache.appending("search.index")
      let ours = try version(of: index)
      let found = try await book.lines("search", "lukasz", "--json")
      try change(index, by: step)
      #expect(try await book.lines("search", "lukasz", "--json") == found)
      try await book.lines("sync")
      #expect(try version(of: index) == ours)
      #expect(try await book.lines("search", "lukasz", "--json") == found)
    }
  }

  @Test func `a saved view is not taken for one of ours`() async throws {
    try await withCompany { book, cache in
      try await book.lines("expand", "Optics")
      let state = book.home.appending("state").appending(cache.lastComponent?.string ?? "")
      let path = state.appending("view.json")
      let text = String(decoding: try bytes(of: path), as: UTF8.self)
      try write(text.replacing(#""version":1"#, with: #""version":2"#), to: path)
      let tree = try await book.run("tree")
      #expect(tree.status == 0, "\(tree)")
      #expect(
        tree.stderr.reads("staffbook: the saved view \(path) is damaged; starting with a new one"),
        "\(tree)"
      )
      #expect(!tree.stdout.contains("Mirrors"), "\(tree)")
    }
  }
}
