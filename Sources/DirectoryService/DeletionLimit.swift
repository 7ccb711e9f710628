/// How much of a directory may go at once without somebody saying that it is meant.
enum DeletionLimit {
  /// Removed records of a kind may be this many, whatever their share.
  private static let harmlessCount = 50
  /// Of a hundred records of a kind so many may be removed, whatever their number.
  private static let harmlessPercentage = 20

  /// Whether so many removed records of a kind are too many.
  ///
  /// - Parameters:
  ///   - removed: How many are gone.
  ///   - before: How many there were.
  /// - Returns: Whether the limit is passed.
  static func isPassed(removed: Int, of before: Int) -> Bool {
    removed > harmlessCount && removed * 100 > before * harmlessPercentage
  }
}
