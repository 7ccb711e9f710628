import OutlineEngine

/// What a snapshot says of itself and of its source.
package struct SnapshotMetadata: Sendable, Equatable {
  /// When the source was read, seconds since 1970, UTC.
  package var takenAt: Int64
  /// The locale by which siblings are ordered.
  package var locale: String
  /// The collation's version; keys of another version may order differently.
  package var collationVersion: String
  /// The source for people: host and database, never a secret.
  package var source: String
  /// What identifies the state of the source to a later sync, by name.
  package var watermark: [String: String]

  package init(
    takenAt: Int64,
    locale: String,
    collationVersion: String,
    source: String,
    watermark: [String: String] = [:]
  ) {
    self.takenAt = takenAt
    self.locale = locale
    self.collationVersion = collationVersion
    self.source = source
    self.watermark = watermark
  }

  private static let watermarkPrefix = "watermark."

  /// Key, value, key, value, …; with the key of the id indexes.
  func encoded(hash: SipHash13) -> [String] {
    var strings = [
      "takenAt", String(takenAt), "locale", locale, "collationVersion", collationVersion,
      "source", source, "hash", "\(hash.key0) \(hash.key1)",
    ]
    for (key, value) in watermark.sorted(by: { $0.key < $1.key }) {
      strings += [Self.watermarkPrefix + key, value]
    }
    return strings
  }

  /// Reads what `encoded(hash:)` made; `nil` when it is not that.
  static func decode(
    _ column: TextColumn
  ) throws(SnapshotError) -> (SnapshotMetadata, SipHash13)? {
    var values: [String: String] = [:]
    for row in stride(from: 0, to: column.count - 1, by: 2) {
      values[try column[row]] = try column[row + 1]
    }
    let key = (values["hash"] ?? "").split(separator: " ").compactMap { UInt64($0) }
    // A time that is counted in microseconds elsewhere.
    guard let takenAt = values["takenAt"].flatMap({ Int64($0) }), takenAt.magnitude < 1 << 40,
      let locale = values["locale"],
      let version = values["collationVersion"], let source = values["source"], key.count == 2
    else { return nil }
    var watermark: [String: String] = [:]
    for (name, value) in values where name.hasPrefix(watermarkPrefix) {
      watermark[String(name.dropFirst(watermarkPrefix.count))] = value
    }
    let metadata = SnapshotMetadata(
      takenAt: takenAt,
      locale: locale,
      collationVersion: version,
      source: source,
      watermark: watermark
    )
    return (metadata, SipHash13(key0: key[0], key1: key[1]))
  }
}
