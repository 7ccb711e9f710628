import DirectoryModel
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which invented company is meant.
package struct SampleSize: Sendable {
  /// `nil` for the built-in one.
  package var people: Int?
  package var departments: Int?
  package var seed: UInt64

  package init(people: Int?, departments: Int?, seed: UInt64) {
    self.people = people
    self.departments = departments
    self.seed = seed
  }

  private static let peoplePerDepartment = 20

  func write(to folder: FilePath, replacing: Bool) throws(DirectoryError) {
    guard people != nil || departments != nil else {
      try SampleCompany.builtIn.write(to: folder, replacing: replacing)
      return
    }
    let (guess, overflow) = (departments ?? 1)
      .multipliedReportingOverflow(by: Self.peoplePerDepartment)
    let people = people ?? (overflow ? .max : guess)
    try SampleCompany.write(
      people: people,
      departments: departments ?? max(1, people / Self.peoplePerDepartment),
      seed: seed,
      to: folder,
      replacing: replacing
    )
  }
}

extension StaffbookService {
  package static func writeSample(
    _ size: SampleSize,
    to folder: String,
    replacing: Bool
  ) throws(DirectoryError) {
    try size.write(to: FilePath(folder), replacing: replacing)
  }

  /// Writes a company into a folder that lives for the time of `body`.
  package func withSample(
    _ size: SampleSize,
    _ body: (_ folder: String) async throws -> Void
  ) async throws {
    let base = settings.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(base)/staffbook-sample-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) } != nil
    }
    guard made else {
      throw DirectoryError(
        .cannotWrite,
        "cannot make a folder in \(base): \(Errno(rawValue: errno))"
      )
    }
    let folder = FilePath(platformString: template)
    defer {
      for name in ["departments.csv", "users.csv", "memberships.csv"] {
        _ = folder.appending(name).withPlatformString { unlink($0) }
      }
      _ = folder.withPlatformString { rmdir($0) }
    }
    try size.write(to: folder, replacing: false)
    try await body(folder.string)
  }
}
