extension Array where Element: BitwiseCopyable {
  /// Sorts by a number, smaller first; those of equal numbers stay as they are.
  ///
  /// - Complexity: O(n) for each 11 bits in which the numbers differ.
  @inline(__always)
  mutating func radixSort(by key: (Element) -> UInt64) {
    var differing: UInt64 = 0
    for element in self { differing |= key(element) ^ key(self[0]) }
    guard differing != 0 else { return }
    var sorted = self
    for shift in stride(from: 0, to: 64, by: Self.digitBits)
    where differing >> UInt64(shift) & Self.digitMask != 0 {
      let shift = UInt64(shift)
      var starts = [Int](repeating: 0, count: 1 << Self.digitBits)
      for element in self { starts[Int(key(element) &>> shift & Self.digitMask)] += 1 }
      var start = 0
      for digit in starts.indices { (starts[digit], start) = (start, start + starts[digit]) }
      for element in self {
        let digit = Int(key(element) &>> shift & Self.digitMask)
        sorted[starts[digit]] = element
        starts[digit] += 1
      }
      swap(&self, &sorted)
    }
  }

  private static var digitBits: Int { 11 }
  private static var digitMask: UInt64 { 1 << UInt64(digitBits) - 1 }
}
