import DirectoryModel
import SystemPackage

/// What a file holds.
package enum InputFormat: Hashable, Sendable, CaseIterable {
  /// CSV, a department a row.
  case departments
  /// CSV, a person a row.
  case users
  /// CSV, a further membership a row.
  case memberships
  /// CSV, departments and people mixed, as `export` writes one file.
  case list
  /// The same as JSON, an array or an object a line.
  case json
  case ldif
  case vCard
  /// A table of people as another program writes it, which a mapping explains.
  case personnel

  /// For people.
  package var name: String {
    switch self {
    case .departments: "CSV of departments"
    case .users: "CSV of people"
    case .memberships: "CSV of memberships"
    case .list: "CSV of departments and people"
    case .json: "JSON"
    case .ldif: "LDIF"
    case .vCard: "vCard"
    case .personnel: "personnel list"
    }
  }
}

/// Tells what a file holds by how it begins.
enum FormatDetection {
  /// Bytes that are looked at.
  private static let length = 64 << 10

  /// The format of a file, whose name counts only where the text does not tell.
  ///
  /// - Returns: `nil` where neither does.
  /// - Throws: `.cannotRead`.
  static func format(of file: InputFile) throws(DirectoryError) -> InputFormat? {
    if file.traits.isSheet { return try byColumns(file) ?? byName(file) }
    let start = try beginning(of: file)
    let isOther = start.withUnsafeBytes { FileSignature($0) } != nil
    guard !isOther, let first = start.first(where: { !isBlank($0) }) else { return byName(file) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .json }
    if let format = byFirstLine(start) { return format }
    return try byColumns(file) ?? byName(file)
  }

  /// The first bytes without a byte order mark.
  private static func beginning(of file: InputFile) throws(DirectoryError) -> [UInt8] {
    let bytes = try file.beginning(length)
    return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// LDIF begins with `version:` or `dn:`, perhaps behind comments (RFC 2849); a vCard with
  /// `BEGIN:VCARD` (RFC 6350 §6.1.1).
  private static func byFirstLine(_ text: [UInt8]) -> InputFormat? {
    let lines = text.split { $0 == 0x0A || $0 == 0x0D }
    let line = lines.first { line in
      line.first != UInt8(ascii: "#") && line.contains { !isBlank($0) }
    }
    guard let line else { return nil }
    let word = String(decoding: line.prefix(40), as: UTF8.self).lowercased()
    if word.hasPrefix("begin:vcard") { return .vCard }
    return word.hasPrefix("dn:") || word.hasPrefix("version:") ? .ldif : nil
  }

  /// By the columns that its first record names.
  private static func byColumns(_ file: InputFile) throws(DirectoryError) -> InputFormat? {
    var reader = try CSVReader(file, bufferSize: length)
    while let item = reader.next() {
      guard case .record(let record) = item else { continue }
      let names = Set(record.headings.map(\.key))
      if names.isSuperset(of: ["kind", "id"]) { return .list }
      if names.contains("user id") { return .memberships }
      if names.contains("department id") { return .users }
      return names.contains("parent id") ? .departments : nil
    }
    return nil
  }

  private static func byName(_ file: InputFile) -> InputFormat? {
    let name = FilePath(file.name).lastComponent?.string.lowercased() ?? ""
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    switch plain {
    case DirectoryFileSet.departmentsName: return .departments
    case DirectoryFileSet.usersName: return .users
    case DirectoryFileSet.membershipsName: return .memberships
    default: break
    }
    return endings.first { plain.hasSuffix($0.0) }?.1
  }

  /// What the ending of a name says of its text. (`.ldf`: Microsoft's ldifde)
  private static let endings: [(String, InputFormat)] = [
    (".json", .json), (".jsonl", .json), (".ndjson", .json), (".ldif", .ldif), (".ldf", .ldif),
    (".vcf", .vCard), (".vcard", .vCard),
  ]

  /// Whether a file of a folder is one to import, by its name.
  static func isImportable(_ name: String) -> Bool {
    let name = name.lowercased()
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    return !plain.hasPrefix(".")
      && (plain.hasSuffix(".csv") || endings.contains { plain.hasSuffix($0.0) })
  }
}
