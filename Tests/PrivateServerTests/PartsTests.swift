import SystemPackage
import Testing

@testable import PrivateServer

@Suite("What the private server reads")
struct PartsTests {
  private static let whole = """
    4711
    /var/lib/staffbook/postgres/data
    1700000000
    5432
    /run/staffbook/default

      5432001    163840
    ready   \("")

    """

  @Test func `is a server's own file about itself`() {
    let file = PostmasterFile(Self.whole)
    #expect(file?.processID == 4711)
    #expect(file?.port == 5432)
    #expect(file?.socketFolder == "/run/staffbook/default")
    #expect(file?.isReady == true)
  }

  @Test func `is not ready before it says so, and nothing when it is cut short`() {
    #expect(PostmasterFile(Self.whole.replacing("ready   ", with: "starting"))?.isReady == false)
    let lines = Self.whole.split(separator: "\n", omittingEmptySubsequences: false)
    for count in 0..<5 {
      #expect(PostmasterFile(lines.prefix(count).joined(separator: "\n")) == nil)
    }
    #expect(PostmasterFile(lines.prefix(6).joined(separator: "\n"))?.isReady == false)
    #expect(PostmasterFile("-4711\n/data\n1\n5432\n/run\n") == nil)
    #expect(PostmasterFile("") == nil)
  }

  @Test(arguments: [
    ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 15),
    ("postgres (PostgreSQL) 18beta1\n", 18), ("postgres (PostgreSQL) 9.6.24\n", 9),
    ("postgres (EnterpriseDB) x\n", nil), ("", nil),
  ])
  func `is a version`(_ text: String, _ major: Int?) {
    #expect(PostgresInstallation.major(inVersion: text) == major)
  }

  @Test func `is the line of a log that says why`() {
    let log = """
      2024-05-01 10:00:00.000 UTC [17] LOG:  starting PostgreSQL 15.18
      2024-05-01 10:00:00.001 UTC [17] FATAL:  could not write lock file "postmaster.pid": No space
      2024-05-01 10:00:00.002 UTC [17] LOG:  database system is shut down

      """
    #expect(
      LogText.lastMeaningfulLine(in: log)
        == #"could not write lock file "postmaster.pid": No space"#
    )
    // What a full disk cut short has no errno, and more goes wrong after it.
    let short = #"could not extend file "base/1/2": wrote only 4096 of 8192 bytes at block 3"#
    #expect(
      LogText.lastMeaningfulLine(
        in: "ERROR:  \(short)\nPANIC:  cannot abort transaction 1, it was already committed\n"
      ) == short
    )
    #expect(LogText.lastMeaningfulLine(in: "initdb: error: no\n\n") == "no")
    #expect(LogText.lastMeaningfulLine(in: "one\ntwo\n") == "two")
    #expect(LogText.lastMeaningfulLine(in: " \n\n") == nil)
  }

  @Test func `goes through the shell and the server's list as it is`() {
    #expect(
      ServerStarter.options(socketFolder: #"/it's "a", b"#)
        == #"-c listen_addresses= -c unix_socket_permissions=0700 -k '"/it'\''s ""a"", b"'"#
    )
  }

  @Test func `makes a name for each home that stays the same`() {
    #expect(ServerLocation.hash("/") == "af63a24c860189fe")
    #expect(ServerLocation.hash("/a/b") == ServerLocation.hash("/a/./x/../b"))
    #expect(ServerLocation.hash("/a/b") != ServerLocation.hash("/a/c"))
    #expect(ServerLocation.hash("/a/b").count == 16)
  }

  @Test(arguments: [107, 108])
  func `is a socket as long as the system allows and no longer`(_ length: Int) {
    let folder = "/" + String(repeating: "n", count: length - 1 - "/.s.PGSQL.5432".utf8.count)
    #expect(ServerSocket(folder: FilePath(folder)).fits == (length == 107))
  }
}
