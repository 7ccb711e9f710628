import CZlib
import DirectoryModel
import SystemPackage

/// The entries of a ZIP archive, read by its central directory (PKWARE, APPNOTE.TXT 6.3.10).
///
/// Sizes and checksums are held to what is found, and all that is unpacked counts against the archive's
/// own size, so that one that is made to fill a disk or memory is refused on the way.
struct ZipArchive {
  private struct Entry {
    var isPlain: Bool
    var checksum: UInt32
    var packedSize: Int64
    var size: Int64
    var offset: Int64
  }

  /// Bytes of the largest central directory; a workbook has some dozen entries.
  private static let largestDirectory: Int64 = 4 << 20
  private static let endSize = 22
  private static let longestComment = 65_535

  private let file: InputFile
  private var entries: [String: Entry] = [:]
  /// Bytes that were unpacked so far.
  private var unpacked: Int64 = 0

  /// - Throws: Where it is no archive, or a damaged one.
  init(_ file: InputFile) throws(WorkbookFault) {
    self.file = file
    var (offset, size) = try Self.findDirectory(file)
    // A sum could be beyond the largest number.
    guard size >= 0, size <= Self.largestDirectory, offset >= 0, offset <= file.size - size else {
      throw .damaged("its list of parts lies outside it")
    }
    let bytes = try Self.bytes(of: file, offset, Int(size))
    offset = 0
    try readDirectory(bytes)
  }

  var names: [String] { Array(entries.keys) }

  func has(_ name: String) -> Bool { entries[name.lowercased()] != nil }

  /// Calls `body` with an entry's bytes, some at a time.
  ///
  /// - Throws: Where there is none of the name, and what it throws.
  mutating func read(
    _ name: String,
    _ body: (UnsafeRawBufferPointer) throws(WorkbookFault) -> Void
  ) throws(WorkbookFault) {
    guard let entry = entries[name.lowercased()] else {
      throw .damaged("its part \(QuotedValue.string(name)) is missing")
    }
    // Name and further values of the local header may have other lengths than those of the directory.
    let header = try Self.bytes(of: file, entry.offset, 30)
    guard header.little(0, 4) == 0x0403_4b50 else { throw .damaged("a part has no header") }
    let start = entry.offset + 30 + Int64(header.little(26, 2) + header.little(28, 2))
    guard start + entry.packedSize <= file.size else { throw .cutOff }
    var inflate = InflateStream(.none, outputSize: 16 << 10)
    var checksum: UInt = 0
    var size: Int64 = 0
    var taken: Int64 = 0
    var total = unpacked
    let fileSize = max(file.size, 1)
    func take(_ piece: UnsafeRawBufferPointer) throws(WorkbookFault) {
      guard !piece.isEmpty else { return }
      checksum = crc32_z(
        checksum,
        piece.assumingMemoryBound(to: UInt8.self).baseAddress,
        piece.count
      )
      size += Int64(piece.count)
      total += Int64(piece.count)
      guard size <= entry.size else { throw .damaged("a part is longer than it says") }
      guard total < GzipReader.unlimitedSize || total / fileSize < GzipReader.mostExpansion else {
        throw Self.bomb
      }
      try body(piece)
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
    defer { memory.deallocate() }
    while taken < entry.packedSize {
      let count = Int(min(entry.packedSize - taken, Int64(memory.count)))
      let piece = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
      try Self.fill(piece, from: file, start + taken)
      taken += Int64(count)
      if entry.isPlain {
        try take(UnsafeRawBufferPointer(piece))
      } else {
        do throws(InflateFault<WorkbookFault>) {
          _ = try inflate.read(UnsafeRawBufferPointer(piece), take)
        } catch {
          switch error {
          case .damaged(let why): throw .damaged(why)
          case .refused(let fault): throw fault
          }
        }
      }
    }
    unpacked = total
    guard entry.isPlain || inflate.isWhole, size == entry.size, checksum == UInt(entry.checksum)
    else { throw .damaged("a part does not have its checksum") }
  }

  static let bomb = WorkbookFault(
    reason:
      "it expands to more than \(GzipReader.mostExpansion) times its size, as files do that are "
      + "made to fill a disk"
  )
}

extension ZipArchive {
  /// Where the central directory stands, by the record at the archive's end (§4.3.16, §4.3.14).
  private static func findDirectory(
    _ file: InputFile
  ) throws(WorkbookFault) -> (offset: Int64, size: Int64) {
    let count = Int(min(file.size, Int64(endSize + longestComment)))
    guard count >= endSize else { throw .cutOff }
    let tail = try bytes(of: file, file.size - Int64(count), count)
    let found = stride(from: count - endSize, through: 0, by: -1).first {
      tail[$0] == 0x50 && tail.little($0, 4) == 0x0605_4b50
    }
    guard let end = found else { throw .cutOff }
    let (size, offset) = (Int64(tail.little(end + 12, 4)), Int64(tail.little(end + 16, 4)))
    guard size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF else { return (offset, size) }
    guard end >= 20, tail.little(end - 20, 4) == 0x0706_4b50 else { throw .cutOff }
    let place = Int64(truncatingIfNeeded: tail.little(end - 12, 8))
    guard place >= 0, place <= file.size - 56 else { throw .cutOff }
    let large = try bytes(of: file, place, 56)
    guard large.little(0, 4) == 0x0606_4b50 else { throw .cutOff }
    return (
      Int64(truncatingIfNeeded: large.little(48, 8)), Int64(truncatingIfNeeded: large.little(40, 8))
    )
  }

  /// Reads the central directory (§4.3.12).
  private mutating func readDirectory(_ bytes: [UInt8]) throws(WorkbookFault) {
    var position = 0
    while position + 46 <= bytes.count, bytes.little(position, 4) == 0x0201_4b50 {
      let flags = bytes.little(position + 8, 2)
      let method = bytes.little(position + 10, 2)
      let lengths = [28, 30, 32].map { Int(bytes.little(position + $0, 2)) }
      let nameEnd = position + 46 + lengths[0]
      let next = nameEnd + lengths[1] + lengths[2]
      guard next <= bytes.count else { throw .cutOff }
      guard flags & 1 == 0 else {
        throw WorkbookFault(reason: "it is encrypted", advice: "save it without a password")
      }
      var entry = Entry(
        isPlain: method == 0,
        checksum: UInt32(bytes.little(position + 16, 4)),
        packedSize: Int64(bytes.little(position + 20, 4)),
        size: Int64(bytes.little(position + 24, 4)),
        offset: Int64(bytes.little(position + 42, 4))
      )
      Self.widen(&entry, bytes[nameEnd..<(nameEnd + lengths[1])])
      guard entry.packedSize >= 0, entry.size >= 0, entry.offset >= 0,
        entry.offset <= file.size, entry.packedSize <= file.size
      else { throw .damaged("a part lies outside it") }
      let name = String(decoding: bytes[(position + 46)..<nameEnd], as: UTF8.self)
      if method == 0 || method == 8 { entries[name.lowercased()] = entry }
      position = next
    }
    guard !entries.isEmpty else { throw .damaged("its list of parts is empty") }
  }

  /// Takes values beyond 32 bits from the extra field (§4.5.3), in their fixed order.
  private static func widen(_ entry: inout Entry, _ extra: ArraySlice<UInt8>) {
    let extra = Array(extra)
    var position = 0
    while position + 4 <= extra.count {
      let (id, size) = (extra.little(position, 2), Int(extra.little(position + 2, 2)))
      guard id == 1, position + 4 + size <= extra.count else {
        position += 4 + size
        continue
      }
      var place = position + 4
      for value in [\Entry.size, \Entry.packedSize, \Entry.offset]
      where entry[keyPath: value] == 0xFFFF_FFFF && place + 8 <= position + 4 + size {
        entry[keyPath: value] = Int64(truncatingIfNeeded: extra.little(place, 8))
        place += 8
      }
      return
    }
  }

  private static func bytes(
    of file: InputFile,
    _ offset: Int64,
    _ count: Int
  ) throws(WorkbookFault) -> [UInt8] {
    guard offset >= 0, offset <= file.size - Int64(count) else { throw .cutOff }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { memory.deallocate() }
    try fill(memory, from: file, offset)
    return Array(memory)
  }

  /// Reads as many bytes as there is room for.
  private static func fill(
    _ memory: UnsafeMutableRawBufferPointer,
    from file: InputFile,
    _ offset: Int64
  ) throws(WorkbookFault) {
    var filled = 0
    while filled < memory.count {
      let more: Int
      do {
        more = try file.descriptor.read(
          fromAbsoluteOffset: offset + Int64(filled),
          into: UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
        )
      } catch {
        throw WorkbookFault(reason: "\(error)", kind: .cannotRead)
      }
      guard more > 0 else { throw .cutOff }
      filled += more
    }
  }
}

extension [UInt8] {
  /// A number of some bytes, the lowest first.
  fileprivate func little(_ position: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(self[position + $1]) << (8 * UInt64($1)) }
  }
}
