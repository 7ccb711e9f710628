/// Sorts positions in place, stably, in memory that the caller lends.
///
/// The standard library's sort takes a buffer of its own for every run of more than 63 elements;
/// here one serves all runs.
@usableFromInline
package enum StableSort {
  @usableFromInline package static let insertionWidth = 8

  /// - Parameters:
  ///   - run: What is sorted.
  ///   - scratch: Room for as many elements as `run` has.
  ///   - areInIncreasingOrder: A strict weak order.
  /// - Complexity: O(n log n) comparisons; n − 1 when `run` is in order already.
  @inlinable
  package static func sort(
    _ run: UnsafeMutableBufferPointer<Int32>,
    scratch: UnsafeMutablePointer<Int32>,
    by areInIncreasingOrder: (Int, Int) -> Bool
  ) {
    guard let base = run.baseAddress, !isSorted(run, by: areInIncreasingOrder) else { return }
    let count = run.count
    for start in stride(from: 0, to: count, by: insertionWidth) {
      insertionSort(base + start, min(insertionWidth, count - start), by: areInIncreasingOrder)
    }
    var width = insertionWidth
    while width < count {
      for start in stride(from: 0, to: count - width, by: 2 * width) {
        merge(
          base + start,
          leftCount: width,
          count: min(2 * width, count - start),
          scratch: scratch,
          by: areInIncreasingOrder
        )
      }
      width *= 2
    }
  }

  @inlinable
  package static func isSorted(
    _ run: UnsafeMutableBufferPointer<Int32>,
    by areInIncreasingOrder: (Int, Int) -> Bool
  ) -> Bool {
    for index in run.indices.dropFirst()
    where areInIncreasingOrder(Int(run[index]), Int(run[index - 1])) {
      return false
    }
    return true
  }

  @inlinable
  package static func insertionSort(
    _ base: UnsafeMutablePointer<Int32>,
    _ count: Int,
    by areInIncreasingOrder: (Int, Int) -> Bool
  ) {
    for index in 0..<count {
      let element = base[index]
      var hole = index
      while hole > 0, areInIncreasingOrder(Int(element), Int(base[hole - 1])) {
        base[hole] = base[hole - 1]
        hole -= 1
      }
      base[hole] = element
    }
  }

  /// Merges two neighbouring sorted runs; of equal elements the left one goes first.
  @inlinable
  package static func merge(
    _ base: UnsafeMutablePointer<Int32>,
    leftCount: Int,
    count: Int,
    scratch: UnsafeMutablePointer<Int32>,
    by areInIncreasingOrder: (Int, Int) -> Bool
  ) {
    guard areInIncreasingOrder(Int(base[leftCount]), Int(base[leftCount - 1])) else { return }
    scratch.update(from: base, count: leftCount)
    var left = 0
    var right = leftCount
    var target = 0
    while left < leftCount, right < count {
      if areInIncreasingOrder(Int(base[right]), Int(scratch[left])) {
        base[target] = base[right]
        right += 1
      } else {
        base[target] = scratch[left]
        left += 1
      }
      target += 1
    }
    (base + target).update(from: scratch + left, count: leftCount - left)
  }
}
