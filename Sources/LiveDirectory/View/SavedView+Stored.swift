import DirectoryModel
import DirectoryReading
import FoundationEssentials

/// The view as a file keeps it.
extension SavedView {
  private struct Stored: Codable {
    var version: Int
    var expanded: [String]
    var selection: Selection?

    struct Selection: Codable {
      var department: String?
      var user: String?
      var offset: Int
    }
  }

  private static let version = 1

  /// JSON with the ids in order, so that the same view is the same file.
  func encoded() throws -> [UInt8] {
    let stored = Stored(
      version: Self.version,
      expanded: expanded.sorted().map(\.rawValue),
      selection: selection.map {
        .init(department: $0.department?.rawValue, user: $0.user?.rawValue, offset: $0.offset)
      }
    )
    let encoder = JSONEncoder()
    // Otherwise the order of keys is another one in each run.
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(stored)) + [UInt8(ascii: "\n")]
  }

  /// Reads what `encoded()` made; `nil` for anything else.
  static func decode(_ bytes: some Sequence<UInt8>) -> SavedView? {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
      stored.version == version
    else { return nil }
    var view = SavedView(expanded: Set(stored.expanded.map { DepartmentID($0) }))
    view.selection = stored.selection.map {
      Selection(
        department: $0.department.map { DepartmentID($0) },
        user: $0.user.map { UserID($0) },
        offset: $0.offset
      )
    }
    return view
  }
}
