import DirectoryModel

/// What the parts of a journal look like; all numbers are little-endian, checksums are XXH64.
///
///     header, 64 bytes
///      0   magic      8 bytes  "SBJOURN1"
///      8   count      u32      how many of `unit` the journal is kept; 0 is for ever
///     12   unit       u32      ASCII d, w, m or y
///     16   –          40 bytes zero
///     56   checksum   u64      of what stands before
///
///     then entries: blocks, and a mark at the end of each
///
///     block
///      0   magic      u32      "SBJB"
///      4   size       u32      bytes behind the block's head
///      8   changes    u32
///     12   check      u32      of what stands before, the lower half
///     16   checksum   u64      of the bytes behind the head
///     24   columns by name and changes, as `JournalBytesWriter` writes them
///
///     mark, 128 bytes
///      0   magic      u32      "SBJE"
///      4   flags      u32      1 the record begins here, 2 values were erased here
///      8   number     u64
///     16   at         i64      microseconds since 1970, UTC; later than those before
///     24   length     u64      bytes of the entry, the mark included
///     32   former     u64      checksum of the snapshot that the changes start from
///     40   latter     u64      checksum of the snapshot that they lead to
///     48   counts     8 × u64  departments and people added, changed, moved, removed
///     112  –          8 bytes  zero
///     120  checksum   u64      of what stands before
enum JournalFormat {
  static let headerSize = 64
  static let blockHeadSize = 24
  static let markSize = 128
  /// A block is written when it has as many bytes.
  static let blockSize = 1 << 16

  static let headerMagic = Array("SBJOURN1".utf8)
  static let blockMagic = Array("SBJB".utf8)
  static let markMagic = Array("SBJE".utf8)

  static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int) -> Number {
    bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }

  static func checksum(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.withContiguousStorageIfAvailable { XXHash64.digest(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { XXHash64.digest($0) }
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

/// How long a journal is kept.
struct JournalKeeping: Hashable {
  /// `nil` is for ever.
  var period: KeptPeriod?

  var header: [UInt8] {
    var bytes = JournalFormat.headerMagic
    bytes.append(number: UInt32(period?.count ?? 0))
    bytes.append(number: UInt32(period?.unit.rawValue.asciiValue ?? 0))
    bytes += [UInt8](repeating: 0, count: JournalFormat.headerSize - 8 - bytes.count)
    bytes.append(number: JournalFormat.checksum(bytes))
    return bytes
  }

  init(_ period: KeptPeriod?) { self.period = period }

  /// Reads what `header` gave; `nil` for anything else.
  init?(header bytes: [UInt8]) {
    let end = JournalFormat.headerSize - 8
    guard bytes.count == JournalFormat.headerSize, bytes.starts(with: JournalFormat.headerMagic),
      JournalFormat.checksum(bytes[..<end]) == JournalFormat.number(bytes, at: end)
    else { return nil }
    let count: UInt32 = JournalFormat.number(bytes, at: 8)
    guard count > 0 else { return }
    let unit: UInt32 = JournalFormat.number(bytes, at: 12)
    guard let sign = UInt8(exactly: unit), KeptPeriod.counts.contains(Int(count)),
      let unit = KeptPeriod.Unit(rawValue: Character(Unicode.Scalar(sign)))
    else { return nil }
    period = KeptPeriod(count: Int(count), unit: unit)
  }
}

/// The head of a block.
struct JournalBlockHead {
  var size: Int
  var changes: Int
  var checksum: UInt64

  static func bytes(of payload: [UInt8], changes: Int) -> [UInt8] {
    var bytes = JournalFormat.blockMagic
    bytes.append(number: UInt32(payload.count))
    bytes.append(number: UInt32(changes))
    bytes.append(number: UInt32(truncatingIfNeeded: JournalFormat.checksum(bytes)))
    bytes.append(number: JournalFormat.checksum(payload))
    return bytes
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.count == JournalFormat.blockHeadSize, bytes.starts(with: JournalFormat.blockMagic),
      UInt32(truncatingIfNeeded: JournalFormat.checksum(bytes[..<12]))
        == JournalFormat.number(bytes, at: 12)
    else { return nil }
    size = Int(JournalFormat.number(bytes, at: 4) as UInt32)
    changes = Int(JournalFormat.number(bytes, at: 8) as UInt32)
    checksum = JournalFormat.number(bytes, at: 16)
  }
}

/// The mark that an entry ends with: an entry without one has never been.
struct JournalMark: Hashable {
  struct Flags: OptionSet, Hashable {
    let rawValue: UInt32
    static let isBeginning = Flags(rawValue: 1 << 0)
    static let hasForgotten = Flags(rawValue: 1 << 1)
  }

  var flags: Flags = []
  var number: UInt64 = 0
  var at: Int64 = 0
  var length = 0
  var former: UInt64 = 0
  var latter: UInt64 = 0
  var departments = ChangeCounts()
  var users = ChangeCounts()

  var bytes: [UInt8] {
    var bytes = JournalFormat.markMagic
    bytes.append(number: flags.rawValue)
    bytes.append(number: number)
    bytes.append(number: at)
    bytes.append(number: UInt64(length))
    bytes.append(number: former)
    bytes.append(number: latter)
    for counts in [departments, users] {
      for action in Change.Action.allCases { bytes.append(number: UInt64(counts[action])) }
    }
    bytes.append(number: 0 as UInt64)
    bytes.append(number: JournalFormat.checksum(bytes))
    return bytes
  }

  init() {}

  init?(_ bytes: [UInt8]) {
    let end = JournalFormat.markSize - 8
    guard bytes.count == JournalFormat.markSize, bytes.starts(with: JournalFormat.markMagic),
      JournalFormat.checksum(bytes[..<end]) == JournalFormat.number(bytes, at: end),
      let length = Int(exactly: JournalFormat.number(bytes, at: 24) as UInt64)
    else { return nil }
    flags = Flags(rawValue: JournalFormat.number(bytes, at: 4))
    number = JournalFormat.number(bytes, at: 8)
    at = JournalFormat.number(bytes, at: 16)
    self.length = length
    former = JournalFormat.number(bytes, at: 32)
    latter = JournalFormat.number(bytes, at: 40)
    departments = Self.counts(bytes, at: 48)
    users = Self.counts(bytes, at: 80)
  }

  private static func counts(_ bytes: [UInt8], at offset: Int) -> ChangeCounts {
    // They are added up.
    let numbers = (0..<4).map { index in
      Int(UInt32(clamping: JournalFormat.number(bytes, at: offset + 8 * index) as UInt64))
    }
    return ChangeCounts(
      added: numbers[0],
      changed: numbers[1],
      moved: numbers[2],
      removed: numbers[3]
    )
  }

  /// What a person reads of it.
  var transaction: RecordedTransaction {
    RecordedTransaction(
      number: Int64(clamping: number),
      at: at,
      role: "",
      rows: ChangeTotals(departments: departments, users: users),
      isFound: true,
      hasForgotten: flags.contains(.hasForgotten),
      isBeginning: flags.contains(.isBeginning)
    )
  }
}
