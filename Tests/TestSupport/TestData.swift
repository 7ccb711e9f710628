import Platform
import SystemPackage

/// The real directories that imports are tried on.
package enum TestData {
  /// The folder of one data set, such as `rust-team`.
  package static func directory(named name: String) throws -> FilePath {
    guard let root = environmentValue("STAFFBOOK_TEST_DATA"), !root.isEmpty else {
      throw TestSetupError(
        "STAFFBOOK_TEST_DATA is not set: give it the folder that holds the real data sets"
      )
    }
    let folder = FilePath(root).appending(name)
    var status = stat()
    guard stat(folder.string, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw TestSetupError("there is no data set \(name): STAFFBOOK_TEST_DATA is \(root)")
    }
    return folder
  }
}
