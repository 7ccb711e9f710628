import SystemPackage

/// A file of RFC 4180, read whole.
struct CSVFile {
  /// Without the header.
  let rows: [[String]]

  init(_ path: FilePath) throws {
    var reader = CSVReader()
    for byte in try readFile(path) { reader.take(byte) }
    rows = Array(reader.rows.dropFirst())
  }

  /// `nil` where there is no such file.
  init?(ifThere path: FilePath) throws {
    do {
      self = try CSVFile(path)
    } catch Errno.noSuchFileOrDirectory {
      return nil
    }
  }
}

private struct CSVReader {
  private(set) var rows: [[String]] = []
  private var row: [String] = []
  private var field: [UInt8] = []
  private var isQuoted = false
  private var wasQuote = false

  mutating func take(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""):
      // A quote that follows the closing one at once is meant, and goes on.
      if wasQuote { field.append(byte) }
      wasQuote = isQuoted
      isQuoted.toggle()
      return
    case UInt8(ascii: ",") where !isQuoted: endField()
    case 0x0D where !isQuoted: break
    case 0x0A where !isQuoted:
      endField()
      rows.append(row)
      row = []
    default: field.append(byte)
    }
    wasQuote = false
  }

  private mutating func endField() {
    row.append(String(decoding: field, as: UTF8.self))
    field = []
  }
}

func readFile(_ path: FilePath) throws -> [UInt8] {
  let file = try FileDescriptor.open(path, .readOnly)
  return try file.closeAfter {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }
}
