import CZlib

/// An archive written from front to back (PKWARE, APPNOTE.TXT 6.3.10): sizes and checksums stand
/// behind each entry (§4.4.4, bit 3), so that nothing is revisited.
///
/// Entries are compressed, their time is that at which DOS began, and the same content gives the
/// same bytes.
final class ZipWriter {
  private struct Entry {
    var name: [UInt8]
    var offset: UInt32
    var checksum: UInt32
    var compressedSize: UInt32
    var size: UInt32
  }

  /// Why an archive cannot be written: it would need sizes beyond 4 GiB.
  struct TooLarge: Error {}

  private static let localHeader: UInt32 = 0x0403_4b50
  private static let descriptor: UInt32 = 0x0807_4b50
  private static let centralHeader: UInt32 = 0x0201_4b50
  private static let endRecord: UInt32 = 0x0605_4b50
  /// Deflate (§4.4.3.2).
  private static let neededVersion: UInt16 = 20
  /// Descriptor behind the data (bit 3), names in UTF-8 (bit 11).
  private static let flags: UInt16 = 1 << 3 | 1 << 11
  private static let deflated: UInt16 = 8
  /// 1980-01-01, the first day there is (§4.4.6).
  private static let date: UInt16 = 1 << 5 | 1

  private var entries: [Entry] = []
  /// Bytes handed out so far, those that wait in the caller's buffer included.
  private var offset = 0
  private var name: [UInt8] = []
  private var stream: DeflateStream?
  private var start = 0
  private var dataStart = 0
  private var size = 0

  /// Bytes of the open entry, before compression.
  var entrySize: Int { size }

  func begin(_ name: String, to output: inout [UInt8]) {
    self.name = Array(name.utf8)
    size = 0
    start = offset
    emit(to: &output) { output in
      output.append(little: Self.localHeader)
      appendCommon(to: &output)
      // Checksum and both sizes follow the data.
      output.append(contentsOf: repeatElement(0, count: 12))
      output.append(little: UInt16(self.name.count))
      output.append(little: UInt16(0))
      output.append(contentsOf: self.name)
    }
    dataStart = offset
    stream = DeflateStream()
  }

  func append(_ bytes: [UInt8], to output: inout [UInt8]) {
    size += bytes.count
    emit(to: &output) { output in
      bytes.withUnsafeBytes { stream?.append($0, to: &output) }
    }
  }

  /// - Throws: `TooLarge`.
  func end(to output: inout [UInt8]) throws {
    emit(to: &output) { output in stream?.finish(to: &output) }
    guard let checksum = stream?.checksum, let offset = UInt32(exactly: start),
      let compressedSize = UInt32(exactly: offset32(since: dataStart)),
      let size = UInt32(exactly: size)
    else { throw TooLarge() }
    stream = nil
    let entry = Entry(
      name: name,
      offset: offset,
      checksum: checksum,
      compressedSize: compressedSize,
      size: size
    )
    entries.append(entry)
    emit(to: &output) { output in
      output.append(little: Self.descriptor)
      output.append(little: entry.checksum)
      output.append(little: entry.compressedSize)
      output.append(little: entry.size)
    }
  }

  /// Writes an entry as a whole.
  func add(_ name: String, _ text: String, to output: inout [UInt8]) throws {
    begin(name, to: &output)
    append(Array(text.utf8), to: &output)
    try end(to: &output)
  }

  /// Writes the list of entries, which ends the archive.
  func finish(to output: inout [UInt8]) throws {
    let listStart = offset
    for entry in entries {
      emit(to: &output) { output in
        output.append(little: Self.centralHeader)
        output.append(little: Self.neededVersion)
        appendCommon(to: &output)
        output.append(little: entry.checksum)
        output.append(little: entry.compressedSize)
        output.append(little: entry.size)
        output.append(little: UInt16(entry.name.count))
        // No extra field, comment, disk number or attributes.
        output.append(contentsOf: repeatElement(0, count: 12))
        output.append(little: entry.offset)
        output.append(contentsOf: entry.name)
      }
    }
    guard let start = UInt32(exactly: listStart), let count = UInt16(exactly: entries.count) else {
      throw TooLarge()
    }
    let listSize = UInt32(truncatingIfNeeded: offset - listStart)
    emit(to: &output) { output in
      output.append(little: Self.endRecord)
      output.append(little: UInt32(0))
      output.append(little: count)
      output.append(little: count)
      output.append(little: listSize)
      output.append(little: start)
      output.append(little: UInt16(0))
    }
  }

  private func appendCommon(to output: inout [UInt8]) {
    output.append(little: Self.neededVersion)
    output.append(little: Self.flags)
    output.append(little: Self.deflated)
    output.append(little: UInt16(0))
    output.append(little: Self.date)
  }

  private func offset32(since start: Int) -> Int { offset - start }

  private func emit(to output: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
    let before = output.count
    body(&output)
    offset += output.count - before
  }
}

extension [UInt8] {
  /// Appends a number, its lowest byte first.
  mutating func append(little number: some FixedWidthInteger & UnsignedInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
