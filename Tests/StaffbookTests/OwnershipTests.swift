import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Files of other accounts")
struct OwnershipTests {
  private static let nobody = TestAccount(userID: 65534, groupID: 65534)

  /// A home with a snapshot, a saved view and a configuration, its owner's; only root can make what
  /// belongs to another account.
  private func withHome(_ body: (Book) async throws -> Void) async throws {
    guard geteuid() == 0 else { return }
    try await withBook { book in
      try book.script("insert into staffbook.departments (id, name) values ('d', 'Top')")
      try makeFolder(book.home.appending("config"))
      try write("country: DE\n", to: book.home.appending("config").appending("config.yaml"))
      try await book.lines("expand", "--all")
      try await body(book)
    }
  }

  private func give(_ path: FilePath, to account: UInt32) {
    #expect(lchown(path.string, account, account) == 0)
  }

  /// The one folder of a source in `cache` or `state`.
  private func folder(_ name: String, of book: Book) throws -> FilePath {
    let base = book.home.appending(name)
    return base.appending(try #require(try folderEntries(base).first))
  }

  private func expectRefusal(
    _ book: Book,
    _ path: FilePath,
    _ reason: String,
    as account: TestAccount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for command in ["tree", "sync", "expand --all", "status"] {
      let outcome = try await runProgram(
        FilePath(try Book.program()),
        command.split(separator: " ").map(String.init),
        environment: book.variables,
        as: account
      )
      #expect(outcome.status == 77, "\(command): \(outcome)", sourceLocation: sourceLocation)
      #expect(
        outcome.stderr.reads(
          "staffbook: refusing to use …: \(path.string) is not safe: \(reason)",
          "staffbook: …set XDG_… or STAFFBOOK_HOME to a folder of your own"
        ),
        "\(command): \(outcome)",
        sourceLocation: sourceLocation
      )
    }
  }

  @Test func `a folder or file of another account is refused, by root too`() async throws {
    try await withHome { book in
      let paths = [
        book.home.appending("config").appending("config.yaml"), book.home.appending("config"),
        try folder("cache", of: book), try folder("state", of: book), book.home.appending("cache"),
        try folder("cache", of: book).appending("directory.snapshot"),
        try folder("state", of: book).appending("view.json"),
      ]
      for path in paths {
        give(path, to: Self.nobody.userID)
        try await expectRefusal(book, path, "it belongs to account nobody (65534)")
        give(path, to: 0)
      }
      try await book.lines("tree")
    }
  }

  @Test func `a link of another account is refused, and one's own is followed`() async throws {
    try await withHome { book in
      try await withTemporaryDirectory { elsewhere in
        let cache = try folder("cache", of: book)
        let moved = elsewhere.appending("cache")
        #expect(rename(cache.string, moved.string) == 0)
        #expect(symlink(moved.string, cache.string) == 0)
        try await book.lines("tree")
        give(cache, to: Self.nobody.userID)
        try await expectRefusal(book, cache, "it is a symbolic link of account nobody (65534)")
      }
    }
  }

  @Test func `where everybody may write is refused, and a sticky folder only for ours`()
    async throws
  {
    try await withHome { book in
      let cache = try folder("cache", of: book)
      #expect(chmod(cache.string, 0o1777) == 0)
      try await expectRefusal(book, cache, "its mode 1777 lets every account replace its contents")
      #expect(chmod(cache.string, 0o700) == 0)
      #expect(chmod(book.home.appending("cache").string, 0o1777) == 0)
      try await book.lines("tree")
      #expect(chmod(book.home.appending("cache").string, 0o777) == 0)
      try await expectRefusal(
        book,
        book.home.appending("cache"),
        "its mode 777 lets every account replace its contents"
      )
    }
  }

  @Test func `an account trusts only itself and root`() async throws {
    try await withHome { book in
      // Root's files are read where they can be.
      let configuration = book.home.appending("config")
      let parts = [book.home, book.home.appending("cache"), book.home.appending("state")]
      for path in parts + [configuration, configuration.appending("config.yaml")] {
        #expect(chmod(path.string, 0o755) == 0)
      }
      give(book.home, to: Self.nobody.userID)
      try await expectRefusal(book, book.home, "it belongs to account nobody (65534)")
      let status = try await runProgram(
        FilePath(try Book.program()),
        ["db", "url"],
        environment: book.variables,
        as: Self.nobody
      )
      #expect(status.status == 0, "\(status)")
      give(try folder("cache", of: book), to: 12_345)
      try await expectRefusal(
        book,
        try folder("cache", of: book),
        "it belongs to account 12345",
        as: Self.nobody
      )
    }
  }

  @Test func `root is told how to work in its own home`() async throws {
    try await withHome { book in
      give(book.home, to: Self.nobody.userID)
      let outcome = try await book.run("sync")
      #expect(outcome.status == 77)
      #expect(
        outcome.stderr.reads(
          "staffbook: refusing to use the configuration …: … is not safe: it belongs to account nobody (65534)",
          "staffbook: run this program as that account, or with root's own home folder, as sudo -H does, or set XDG_CONFIG_HOME or STAFFBOOK_HOME to a folder of your own"
        ),
        "\(outcome)"
      )
    }
  }
}
