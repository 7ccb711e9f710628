import DirectorySnapshot
import Platform
import TextRules

/// Every place in the readings of texts where a query may begin, sorted by what is read from there.
struct ReadingSuffixes {
  /// Number of the readings << 32 | index of one of them.
  private var starts: [UInt64] = []
  private var firsts: [UInt32] = []
  private var firstStarts: [UInt32] = []
  private var beginnings: [UInt64] = []

  /// - Complexity: O(places · log places).
  init(_ readings: TextInterner) {
    // The first four readings of each in a word tell most of them apart.
    var keys: [(first: UInt64, start: UInt64)] = []
    for number in 0..<readings.count {
      readings.withBytes(of: number) { bytes in
        let units = ReadingSequence(bytes)
        for index in 0..<units.count where units.mayBegin(at: index) {
          var first: UInt64 = 0
          for offset in 0..<4 {
            let at = index + offset
            // A reading and one more, so that an end comes before all of them.
            first = first << 16 | (at < units.count ? UInt64(units[at]) &+ 1 : 0)
          }
          keys.append((first, UInt64(number) << 32 | UInt64(index)))
        }
      }
    }
    keys.sort { left, right in
      left.first != right.first
        ? left.first < right.first
        : Self.rest(of: left.start, precedes: right.start, in: readings)
    }
    starts = keys.map(\.start)
    for (index, key) in keys.enumerated() {
      let first = UInt32(key.first >> 48) - 1
      guard firsts.last != first else { continue }
      firsts.append(first)
      firstStarts.append(UInt32(index))
      beginnings.append(ReadingTable.beginnings(of: Reading(first)))
    }
    firstStarts.append(UInt32(keys.count))
  }

  /// Compares what is read behind the first four readings, as bytes: what is alike has to lie side by
  /// side, whatever its order.
  private static func rest(
    of left: UInt64,
    precedes right: UInt64,
    in readings: TextInterner
  ) -> Bool {
    readings.withBytes(of: Int(left >> 32)) { leftBytes in
      readings.withBytes(of: Int(right >> 32)) { rightBytes in
        let first = leftBytes.dropFirst((Int(left & 0xFFFF_FFFF) + 4) * 2)
        let second = rightBytes.dropFirst((Int(right & 0xFFFF_FFFF) + 4) * 2)
        guard !first.isEmpty, !second.isEmpty, let leftBase = leftBytes.baseAddress,
          let rightBase = rightBytes.baseAddress
        else { return first.isEmpty && !second.isEmpty }
        let order = memcmp(
          leftBase + first.startIndex,
          rightBase + second.startIndex,
          min(first.count, second.count)
        )
        return order == 0 ? first.count < second.count : order < 0
      }
    }
  }

  func add(_ section: IndexSection, to sections: inout IndexSections) {
    sections.add(section.part(.starts), starts)
    sections.add(section.part(.firstReadings), firsts)
    sections.add(section.part(.firstStarts), firstStarts)
    sections.add(section.part(.firstBeginnings), beginnings)
  }
}

/// Readings as they are stored, two bytes each.
struct ReadingSequence {
  /// The reading between two words.
  static let border: Reading = 0

  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = UnsafeRawBufferPointer(bytes) }

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var count: Int { bytes.count / 2 }

  /// The reading at an index; a border for what is none.
  @inline(__always)
  subscript(index: Int) -> Reading {
    let bits = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
    let reading = UInt16(littleEndian: bits)
    return ReadingTable.isKnown(reading) ? reading : Self.border
  }

  /// Whether a query may begin here.
  func mayBegin(at index: Int) -> Bool {
    self[index] != Self.border
      && ReadingPattern.place(of: self[index], after: index == 0 ? nil : self[index - 1]) != nil
  }

  /// The readings side by side.
  func withReadings<Result>(_ body: (UnsafeBufferPointer<Reading>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: Reading.self, capacity: count) { buffer in
      for index in 0..<count { buffer.initializeElement(at: index, to: self[index]) }
      return body(UnsafeBufferPointer(buffer))
    }
  }
}
