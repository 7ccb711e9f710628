import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryStore
import FoundationEssentials
import Platform
import SystemPackage

/// What is remembered of the source, kept in a small file beside the snapshot it belongs to.
///
/// The file is one line of JSON and a line with its XXH64. It is replaced after the snapshot and
/// names it by its checksum: whatever dies in between leaves a watermark of another snapshot,
/// which counts for none.
package struct StoredWatermark: Codable, Equatable, Sendable {
  /// `DirectorySnapshot.checksum` of the snapshot that the rest is about.
  var snapshot: UInt64
  /// When the source was read last, microseconds since 1970, UTC, by the server's clock.
  package var readAt: Int64
  /// Where it was read; never a secret.
  package var source: String
  /// What a later sync starts from; `nil` where nothing tracks changes.
  package var watermark: SourceWatermark?
  /// Whether the database user who synced may decide who may see whom.
  package var isAdministrator: Bool
  /// Where the next check of rows by content goes on.
  var cursor: VerificationCursor

  /// The file's bytes.
  func encoded() -> [UInt8] {
    let line = Array(JSONLine.encode(self).utf8)
    return line + Array("\n\(Self.digest(of: line[...]))\n".utf8)
  }

  /// Reads what `encoded()` made; `nil` when it is damaged or of another format.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let rest = String(decoding: bytes[(end + 1)...], as: UTF8.self)
    guard rest == Self.digest(of: Array(bytes[..<end])[...]) + "\n",
      let stored = try? JSONDecoder().decode(Self.self, from: Data(bytes[..<end]))
    else { return nil }
    self = stored
  }

  init(
    snapshot: UInt64,
    source: DirectorySource,
    cursor: VerificationCursor
  ) {
    self.snapshot = snapshot
    readAt = source.takenAt
    self.source = source.place
    watermark = source.watermark
    isAdministrator = source.isAdministrator
    self.cursor = cursor
  }

  private static func digest(of bytes: ArraySlice<UInt8>) -> String {
    String(bytes.withUnsafeBytes { XXHash64.digest($0) }, radix: 16)
  }
}

/// Where a check of all rows, one slice at each sync, has come to.
struct VerificationCursor: Codable, Equatable, Sendable {
  var kind = RecordKind.department
  /// The smallest id, by bytes, that the next slice may begin with.
  var first = ""

  /// Goes on behind a slice, and to the next kind behind the last one.
  mutating func pass(_ slice: SourceSlice) {
    if let last = slice.last {
      // The next string by bytes: no text of PostgreSQL's holds a NUL.
      first = last + "\u{1}"
    } else {
      let kinds = RecordKind.allCases
      let index = kinds.firstIndex(of: slice.kind) ?? 0
      kind = kinds[(index + 1) % kinds.count]
      first = ""
    }
  }
}

extension DirectorySource {
  /// The source for people; never a secret.
  var place: String { "\(database) at \(host)" }
}

extension SnapshotStore {
  /// More than any watermark has; what is longer is none.
  private static var longestWatermark: Int { 64 << 20 }

  /// What is remembered of the source that a snapshot is of.
  ///
  /// - Parameter checksum: The snapshot's.
  /// - Returns: `nil` when there is none, or it is damaged, or it belongs to another snapshot; then
  ///   everything is to be compared.
  package func watermark(of checksum: UInt64) -> StoredWatermark? {
    storedWatermark.flatMap { $0.snapshot == checksum ? $0 : nil }
  }

  /// Whether the database user who synced last may decide who may see whom.
  ///
  /// Whichever snapshot the watermark is of: it is replaced after its snapshot, and in between the one
  /// before tells the same of the user.
  var isAdministrator: Bool { storedWatermark?.isAdministrator == true }

  private var storedWatermark: StoredWatermark? {
    guard let file = try? MappedFile(path: watermarkPath) else { return nil }
    return file.withBytes { bytes in
      bytes.count <= Self.longestWatermark ? StoredWatermark(bytes) : nil
    }
  }

  /// Puts a watermark in the place of the one before; the caller holds the lock, and the snapshot
  /// that it names is in its place.
  func save(_ watermark: StoredWatermark) throws(DirectoryError) {
    do throws(Errno) {
      try AtomicFile.replace(watermarkPath, with: watermark.encoded(), provisional: .fixed)
    } catch {
      throw DirectoryError(SnapshotError.cannotWrite(watermarkPath, error))
    }
  }
}
