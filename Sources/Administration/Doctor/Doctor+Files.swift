import DirectoryModel
import DirectoryReading
import DirectorySearch
import DirectorySnapshot
import LiveDirectory
import Platform
import SiteSettings
import SystemPackage

extension Doctor {
  /// Proves every byte of the search index that belongs to the snapshot.
  func examineSearchIndex(of snapshot: DirectorySnapshot, _ report: inout DoctorReport) {
    let path = site.snapshots.searchIndexPath
    do throws(SnapshotError) {
      switch SearchIndex.open(path, for: snapshot, phones: site.settings.phones) {
      case .usable(let index):
        try index.verify()
        report.add("index", .good, "the search index matches its checksums")
      case .unusable(let error): throw error
      // A search goes without, or makes it.
      case .missing, .foreign: break
      }
    } catch {
      report.add(
        "index",
        .problem,
        error.explanation,
        advice: "searches scan all records until it is rebuilt: remove it, and run: \(.sync)"
      )
    }
  }

  /// Looks whether the next sync could write its snapshot, which takes as much room as the one there
  /// is, and whether the private server has some left.
  func examineRoom(for snapshot: DirectorySnapshot?, _ report: inout DoctorReport) {
    let needed = (snapshot?.byteCount ?? 0) + Self.leastRoom
    if let reason = FreeSpace.error(forWriting: needed, in: site.snapshots.folder) {
      report.add(
        "disk",
        .problem,
        "the next snapshot cannot be written to \(site.snapshots.folder): \(reason)",
        advice: Advice(reason.adviceForWriting(or: "set STAFFBOOK_HOME to another folder"))
      )
    }
    guard site.settings.source.server == .privateServer,
      let reason = FreeSpace.error(forWriting: Self.leastRoom, in: site.settings.folders.data),
      reason.isAboutSpace
    else { return }
    report.add(
      "disk",
      .problem,
      "the private server cannot write to \(site.settings.folders.data): \(reason)",
      advice: Advice(reason.adviceForWriting(or: "set STAFFBOOK_HOME to another folder"))
    )
  }

  private static var leastRoom: Int { 1 << 16 }
}

/// Room for files that are not written yet.
private enum FreeSpace {
  /// What would keep a file of so many bytes from being written to a folder; `nil` for nothing.
  ///
  /// The room is asked for by a file without a name, which is deleted at once.
  static func error(forWriting byteCount: Int, in folder: FilePath) -> Errno? {
    var folder = folder
    while !folder.withPlatformString({ access($0, F_OK) == 0 }), !folder.components.isEmpty {
      folder.removeLastComponent()
    }
    guard folder.withPlatformString({ access($0, W_OK | X_OK) }) == 0 else {
      return Errno(rawValue: errno)
    }
    guard let file = UnnamedFile.openScratch(in: folder) else {
      return freeBytes(in: folder).flatMap { $0 < byteCount ? .noSpace : nil }
    }
    defer { try? file.close() }
    let outcome = posix_fallocate(file.rawValue, 0, off_t(byteCount))
    return outcome == 0 ? nil : Errno(rawValue: outcome)
  }

  /// `nil` where the system does not say.
  private static func freeBytes(in folder: FilePath) -> Int? {
    var status = statvfs()
    guard folder.withPlatformString({ statvfs($0, &status) }) == 0 else { return nil }
    return Int(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        .partialValue
    )
  }
}

extension Errno {
  fileprivate var isAboutSpace: Bool { self == .noSpace || self == .diskQuotaExceeded }
}
