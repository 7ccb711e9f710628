import Platform

/// Numbers that a seed determines (SplitMix64: Steele, Lea and Flood, 2014).
package struct SeededGenerator: RandomNumberGenerator {
  package private(set) var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Seeds that are new in each run, a fourth of them unless it is a thorough one; a failing test names
/// its own, which `STAFFBOOK_TEST_SEED` repeats.
package func newSeeds(_ count: Int) -> [UInt64] {
  if let seed = getenv("STAFFBOOK_TEST_SEED") {
    guard let seed = UInt64(String(cString: seed)) else {
      preconditionFailure("STAFFBOOK_TEST_SEED is not a seed")
    }
    return [seed]
  }
  return (0..<rounds((count + 3) / 4, thorough: count)).map { _ in
    UInt64.random(in: 0...UInt64.max)
  }
}
