import SystemPackage
import TestSupport
import Testing

/// What systemd says of the units.
@Suite("The systemd units")
struct UnitFileTests {
  private static var folder: String {
    let components = #filePath.split(separator: "/").dropLast(3)
    return "/" + components.joined(separator: "/") + "/Packaging/systemd"
  }

  @Test(arguments: [
    ("user", "staffbook-sync.service", "sync --watch"),
    ("system", "staffbook-sync@.service", "sync --watch"),
    ("system", "staffbook-import@.service", "import --job %i --no-sync"),
    ("server", "staffbookd.service", ""),
  ])
  func `are those that systemd understands`(
    kind: String,
    file: String,
    command: String
  ) async throws {
    try await withTemporaryDirectory { (scratch: FilePath) async throws -> Void in
      // The program need not be installed here.
      let unit = scratch.appending(file.replacing("@.", with: "@reports."))
      let installed = try await runProgram(
        "sed",
        [
          "-E", "s#^ExecStart=/usr/bin/staffbookd? ?#ExecStart=/bin/true #",
          "\(Self.folder)/\(kind)/\(file)",
        ]
      )
      #expect(installed.stdout.reads("…", "ExecStart=/bin/true \(command)", "…"))
      try write(installed.stdout, to: unit)
      if kind == "server" {
        try write(
          String(
            decoding: bytes(of: FilePath("\(Self.folder)/server/staffbookd.socket")),
            as: UTF8.self
          ),
          to: scratch.appending("staffbookd.socket")
        )
      }
      let outcome = try await runProgram(
        "systemd-analyze",
        ["verify", "--man=no"] + (kind == "user" ? ["--user"] : []) + [unit.string],
        environment: [
          "PATH": environmentValue("PATH") ?? "/usr/bin:/bin", "XDG_RUNTIME_DIR": scratch.string,
          "HOME": scratch.string,
        ]
      )
      #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome)")
    }
  }
}
