/// Numbers that a seed determines (SplitMix64: Steele, Lea and Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Seeds that are new in each run; a failing test names its own.
func newSeeds(_ count: Int) -> [UInt64] {
  (0..<count).map { _ in UInt64.random(in: 0...UInt64.max) }
}

/// Nodes in no order with parent links, keys with ties, and groups without children.
struct RandomForest {
  let parents: [Int32]
  let keys: [Int]
  let groups: [Bool]

  init(count: Int, using generator: inout SeededGenerator) {
    let reach = Int.random(in: 1...Swift.max(1, count), using: &generator)
    let rootShare = Double.random(in: 0...0.3, using: &generator)
    let labels = (0..<count).shuffled(using: &generator)
    var parents = [Int32](repeating: -1, count: count)
    for node in 0..<count where node > 0 {
      if Double.random(in: 0..<1, using: &generator) < rootShare { continue }
      let parent = Int.random(in: Swift.max(0, node - reach)..<node, using: &generator)
      parents[labels[node]] = Int32(labels[parent])
    }
    self.parents = parents
    keys = (0..<count).map { _ in Int.random(in: 0...count / 2, using: &generator) }
    groups = (0..<count).map { _ in Bool.random(using: &generator) }
  }
}
