import SystemPackage

extension CSVReader {
  /// Reads until the buffer is full or the file ends, keeping the bytes from `cursor` on.
  ///
  /// A buffer that one record fills grows to twice its size, so that each byte is looked at a
  /// constant number of times; a record beyond the limit ends the reading.
  mutating func fill() {
    discardDelivered()
    if end > longestRecord {
      fail(.tooLong(limit: longestRecord), line: line)
      return
    }
    if end == capacity { grow() }
    do {
      while end < capacity, !isAtEnd {
        let room = UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end)
        let count = try descriptor.read(into: room)
        end += count
        if count == 0 { reachEnd() }
      }
    } catch {
      fail(Self.unreadable(error), line: nil)
    }
    markEnd()
  }

  private mutating func discardDelivered() {
    guard cursor > 0 else { return }
    base.copyMemory(from: base + cursor, byteCount: end - cursor)
    end -= cursor
    cursor = 0
  }

  private mutating func grow() {
    let larger = min(max(2 * capacity, capacity + 1), max(longestRecord + 1, capacity + 1))
    let memory = Self.allocate(larger)
    memory.copyMemory(from: base, byteCount: end)
    base.deallocate()
    base = memory
    capacity = larger
  }

  /// Leaves out the Ctrl-Z, or a block filled up with them, behind the last character.
  private mutating func reachEnd() {
    isAtEnd = true
    guard !isSheet else { return }
    let all = end
    while end > cursor, byte(at: end - 1) == CSVByte.endMark { end -= 1 }
    hasEndMark = end < all
  }

  /// Puts behind the last byte what ends every scan.
  private func markEnd() {
    base.storeBytes(of: CSVByte.lineFeed, toByteOffset: end, as: UInt8.self)
    base.storeBytes(of: CSVByte.quote, toByteOffset: end + 1, as: UInt8.self)
  }

  private static func unreadable(_ error: any Error) -> CSVProblem.Reason {
    let number = error as? Errno ?? .ioError
    return .unreadable(number.rawValue, number.description)
  }
}
