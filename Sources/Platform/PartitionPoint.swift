extension Range<Int> {
  /// Finds the first position at which a condition no longer holds.
  ///
  /// - Parameter isBefore: Whether a position is before that point: true, then false for the rest.
  /// - Returns: The position; the upper bound if the condition holds everywhere.
  /// - Throws: What the condition throws.
  /// - Complexity: O(log count) calls.
  @inlinable
  package func partitionPoint<Failure: Error>(
    where isBefore: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if try isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The same, for a point that is likely to be near the lower bound.
  ///
  /// - Complexity: O(log distance) calls, where the distance is that from the lower bound.
  @inlinable
  package func nearPartitionPoint<Failure: Error>(
    where isBefore: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var (low, step) = (lowerBound, 1)
    while upperBound - low >= step, try isBefore(low + step - 1) {
      low += step
      step *= 2
    }
    return try (low..<Swift.min(low + step, upperBound)).partitionPoint(where: isBefore)
  }
}
