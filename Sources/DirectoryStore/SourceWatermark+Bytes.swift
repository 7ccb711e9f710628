extension SourceWatermark {
  /// The watermark as bytes, to be kept beside a snapshot; whoever keeps them adds a checksum.
  ///
  ///     0   form       u8       1
  ///     1   text       4 times a length (u16) and UTF-8: system identifier, layout, epoch, digest
  ///         xmin       u64
  ///         from       u64
  ///         batches    u32, then each: count u64, lowest u64
  ///         seen       u32, then each: transaction u64, token 2 × u64 (high, low)
  ///
  /// Little-endian, without padding.
  package var bytes: [UInt8] {
    var writer = WatermarkWriter()
    writer.append(Self.form)
    for text in [systemIdentifier, layout, epoch, proof.digest] { writer.append(text) }
    writer.append(xmin)
    writer.append(proof.from)
    writer.append(UInt32(proof.batches.count))
    for batch in proof.batches {
      writer.append(UInt64(batch.count))
      writer.append(batch.lowest)
    }
    writer.append(UInt32(seen.count))
    for entry in seen {
      writer.append(entry.transaction)
      writer.append(entry.token.high)
      writer.append(entry.token.low)
    }
    return writer.bytes
  }

  /// Reads what `bytes` gave; `nil` for anything else.
  package init?(bytes: some Collection<UInt8>) {
    var reader = WatermarkReader(bytes)
    guard let form: UInt8 = reader.next(), form == Self.form,
      let systemIdentifier = reader.nextText(), let layout = reader.nextText(),
      let epoch = reader.nextText(), let digest = reader.nextText(),
      let xmin: UInt64 = reader.next(), let from: UInt64 = reader.next(),
      let batches = reader.nextList(of: 16, LedgerBatch.init(from:)),
      let seen = reader.nextList(of: 24, LedgerEntry.init(from:)), reader.isAtEnd
    else { return nil }
    self.init(
      systemIdentifier: systemIdentifier,
      layout: layout,
      epoch: epoch,
      xmin: xmin,
      seen: seen,
      proof: LedgerProof(from: from, digest: digest, batches: batches)
    )
  }

  private static let form: UInt8 = 1
}

extension LedgerBatch {
  fileprivate init?(from reader: inout WatermarkReader) {
    guard let count: UInt64 = reader.next(), let lowest: UInt64 = reader.next(),
      let count = Int(exactly: count)
    else { return nil }
    // Counts are added up.
    self.init(count: min(count, Int(UInt32.max)), lowest: lowest)
  }
}

extension LedgerEntry {
  fileprivate init?(from reader: inout WatermarkReader) {
    guard let transaction: UInt64 = reader.next(), let high: UInt64 = reader.next(),
      let low: UInt64 = reader.next()
    else { return nil }
    self.init(transaction: transaction, token: LedgerToken(high: high, low: low))
  }
}

private struct WatermarkWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ text: String) {
    let text = Array(text.utf8.prefix(Int(UInt16.max)))
    append(UInt16(text.count))
    bytes.append(contentsOf: text)
  }
}

private struct WatermarkReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func next<Number: FixedWidthInteger>() -> Number? {
    let size = MemoryLayout<Number>.size
    guard bytes.count - offset >= size else { return nil }
    defer { offset += size }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }

  mutating func nextText() -> String? {
    guard let count: UInt16 = next(), bytes.count - offset >= Int(count) else { return nil }
    defer { offset += Int(count) }
    return String(validating: bytes[offset..<offset + Int(count)], as: UTF8.self)
  }

  mutating func nextList<Element>(
    of size: Int,
    _ element: (inout WatermarkReader) -> Element?
  ) -> [Element]? {
    guard let count: UInt32 = next(), (bytes.count - offset) / size >= Int(count) else {
      return nil
    }
    var list: [Element] = []
    list.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let element = element(&self) else { return nil }
      list.append(element)
    }
    return list
  }
}
