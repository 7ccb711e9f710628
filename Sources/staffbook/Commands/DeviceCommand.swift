import Administration
import ArgumentParser
import ChangeHistory
import DirectoryModel
import Platform

struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "Add, list and remove devices, which have tokens but are not people.",
    discussion: """
      A device, such as a screen or a telephone system, is in no department, and sees nothing until \
      a visibility rule names it. Devices are for members of the database role staffbook_admin.
      """,
    subcommands: [Add.self, List.self, Remove.self]
  )

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a device.",
      discussion: """
        EXAMPLES
          staffbook device add lobby
          staffbook visibility add 'show department sales to device lobby'
          staffbook token add device:lobby --for "screen in the lobby" --expires 1y
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(help: "The device's name.")
    var name: String

    func run() async throws {
      try await TokenAdministration(source.administrator()).addDevice(name)
      Messages.notice("added the device \(name)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the devices.",
      discussion: """
        Tab-separated: the device's name, how many tokens it has, when it was added, and by whom.

        EXAMPLES
          staffbook device list
          staffbook device list --json
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Flag(help: "Print JSON Lines: one object per device.")
    var json = false

    func run() async throws {
      let devices = try await TokenAdministration(source.administrator()).devices()
      if json { return try LineFormat.json.write(devices.lazy.map(\.json)) }
      for device in devices {
        Messages.data(
          "\(device.name)\t\(device.tokenCount)\t\(LocalTime.text(device.added, in: .ofProcess))"
            + "\t\(device.addedBy)"
        )
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a device and its tokens.",
      discussion: """
        Visibility rules that name the device stay.

        EXAMPLES
          staffbook device remove lobby
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions

    @Argument(help: "The device's name.")
    var name: String

    func run() async throws {
      let count = try await TokenAdministration(source.administrator()).removeDevice(name)
      Messages.notice(
        "removed the device \(name) and \(counted(count, "token"))"
      )
    }
  }
}

extension Device {
  fileprivate var json: String {
    struct Line: Encodable {
      var device: String
      var tokens: Int
      var added: String
      var by: String
    }
    return JSONLine.encode(
      Line(device: name, tokens: tokenCount, added: UTCTime.text(added * 1_000_000), by: addedBy)
    )
  }
}
