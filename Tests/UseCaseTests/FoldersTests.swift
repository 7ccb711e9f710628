import DirectoryModel
import Platform
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("Where files are kept")
struct FoldersTests {
  private func paths(_ environment: [String: String]) throws -> [String] {
    let folders = try Folders(environment: environment)
    return [folders.data, folders.cache, folders.state, folders.configuration].map(\.string)
  }

  @Test func `below the home folder without further variables`() throws {
    #expect(
      try paths(["HOME": "/home/ada"]) == [
        "/home/ada/.local/share/staffbook", "/home/ada/.cache/staffbook",
        "/home/ada/.local/state/staffbook", "/home/ada/.config/staffbook",
      ]
    )
  }

  @Test func `where the XDG variables say`() throws {
    let environment = [
      "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "/cache/", "XDG_STATE_HOME": "/state",
      "XDG_CONFIG_HOME": "/config",
    ]
    let expected = [
      "/data/staffbook", "/cache/staffbook", "/state/staffbook", "/config/staffbook",
    ]
    #expect(try paths(environment) == expected, "HOME is not needed")
    #expect(try paths(environment.merging(["HOME": "/home/ada"]) { $1 }) == expected)
  }

  @Test(arguments: ["", "relative", "./here", "~/there"])
  func `an XDG variable that is not absolute is ignored`(value: String) throws {
    let paths = try paths([
      "HOME": "/home/ada", "XDG_CACHE_HOME": value, "XDG_STATE_HOME": "/state",
    ])
    #expect(paths[at: 1] == "/home/ada/.cache/staffbook")
    #expect(paths[at: 2] == "/state/staffbook")
  }

  @Test func `STAFFBOOK_HOME puts all four in one folder and wins over all others`() throws {
    #expect(
      try paths(["STAFFBOOK_HOME": "/srv/book", "XDG_CACHE_HOME": "/cache", "HOME": "/home/ada"])
        == ["/srv/book/data", "/srv/book/cache", "/srv/book/state", "/srv/book/config"]
    )
    #expect(try paths(["STAFFBOOK_HOME": "", "HOME": "/h"])[at: 1] == "/h/.cache/staffbook")
  }

  @Test func `a relative STAFFBOOK_HOME begins at the current folder`() throws {
    let current = try #require(getcwd(nil, 0))
    defer { free(current) }
    let here = FilePath(String(cString: current))
    #expect(try paths(["STAFFBOOK_HOME": "book"])[at: 1] == here.appending("book/cache").string)
    #expect(try paths(["STAFFBOOK_HOME": "./a/../b"])[at: 1] == here.appending("b/cache").string)
  }

  @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"], ["XDG_DATA_HOME": "/data"]])
  func `without a place the error says which variables to set`(
    environment: [String: String]
  ) throws {
    let error = #expect(throws: DirectoryError.self) { try Folders(environment: environment) }
    #expect(error?.kind == .usage)
    let variable = environment["XDG_DATA_HOME"] == nil ? "XDG_DATA_HOME" : "XDG_CACHE_HOME"
    #expect(
      error?.message
        == "cannot determine where to keep files: neither HOME nor \(variable) is set"
    )
    #expect(
      error?.advice?.description == "set HOME, or STAFFBOOK_HOME to a folder of your choice"
    )
  }
}

@Suite("Making folders of ours")
struct FolderCreationTests {
  @Test func `all that is missing is made, for its owner alone`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path.appending("a/b/c")
    try Folders.create(folder)
    for name in ["a", "a/b", "a/b/c"] {
      #expect(try permissions(of: scratch.path.appending(name)) == 0o700, "\(name)")
    }
  }

  @Test func `one that is there stays as it is`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path.appending("open")
    #expect(folder.withPlatformString { mkdir($0, 0o755) } == 0)
    #expect(folder.withPlatformString { chmod($0, 0o755) } == 0)
    try Folders.create(folder.appending("new"))
    try Folders.create(folder)
    #expect(try permissions(of: folder) == 0o755)
    #expect(try permissions(of: folder.appending("new")) == 0o700)
  }

  @Test func `a link to a folder is as good as the folder`() throws {
    let scratch = try ScratchFolder()
    try Folders.create(scratch.path.appending("real"))
    let link = scratch.path.appending("link")
    #expect(link.withPlatformString { symlink("real", $0) } == 0)
    try Folders.create(link.appending("below"))
    #expect(try permissions(of: scratch.path.appending("real/below")) == 0o700)
  }

  @Test(arguments: ["file", "file/below", "dangling", "dangling/below"])
  func `what is no folder is an error that names it`(name: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write([], to: "file")
    let dangling = scratch.path.appending("dangling")
    #expect(dangling.withPlatformString { symlink("nowhere", $0) } == 0)
    let error = #expect(throws: DirectoryError.self) {
      try Folders.create(scratch.path.appending(name))
    }
    #expect(error?.kind == .cannotWrite)
    let first = name.hasPrefix("file") ? "file" : "dangling"
    #expect(
      error?.message == "cannot create the folder \(scratch.path)/\(first): \(Errno.fileExists)"
    )
    #expect(
      error?.advice?.description
        == "move away what is in its place, or set STAFFBOOK_HOME to another folder"
    )
  }

  #if os(Linux)
    @Test func `where writing is not permitted the error says so`() throws {
      // Not even root makes folders in proc(5).
      let error = #expect(throws: DirectoryError.self) {
        try Folders.create("/proc/staffbook-test/cache")
      }
      #expect(error?.kind == .cannotWrite)
      #expect(error?.message.hasPrefix("cannot create the folder /proc/staffbook-test: ") == true)
    }
  #endif
}
