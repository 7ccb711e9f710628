import Seeds
import OutlineModel

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
