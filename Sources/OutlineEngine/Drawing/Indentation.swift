/// How far rows are indented: by a full step at first, and by less and less further down, so that
/// the deepest level stays within a limit.
///
///     offset(level) = limit × (1 − (1 − step / limit)^level)
///
/// Each level is further in than the one above, by a share of the room that is left. With a step of
/// 16 points and a limit of 160, level 1 is at 16, level 10 at 104 and level 60 at 159.7.
public struct Indentation: Sendable, Hashable {
  /// The offset of level 1, in points, pixels or columns.
  public let step: Double
  /// What no offset reaches, in the same unit.
  public let limit: Double

  /// - Parameters:
  ///   - step: The offset of level 1; more than 0.
  ///   - limit: More than `step`.
  /// - Complexity: O(1).
  public init(step: Double, limit: Double) {
    precondition(0 < step && step < limit, "a step that is not between 0 and the limit")
    self.step = step
    self.limit = limit
  }

  /// How far a row of a level is indented; 0 for a root.
  ///
  /// - Complexity: O(log `level`).
  public func offset(atLevel level: Int) -> Double {
    precondition(level >= 0, "a negative level")
    var rest = 1.0
    var factor = 1 - step / limit
    var exponent = level
    while exponent > 0 {
      if exponent % 2 == 1 { rest *= factor }
      factor *= factor
      exponent /= 2
    }
    return limit * (1 - rest)
  }

  /// The offset in whole columns of a terminal, rounded down but for errors of rounding.
  ///
  /// - Complexity: O(log `level`).
  public func columns(atLevel level: Int) -> Int { Int(offset(atLevel: level) + 1e-6) }
}
