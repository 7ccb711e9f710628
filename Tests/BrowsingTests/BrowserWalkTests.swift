import BrowserModel
import Browsing
import Seeds
import Testing

/// A million keys are taken by the product `BrowserWalks`, which `scripts/test --steps` runs.
@Suite("A long walk through the tree")
struct BrowserWalkTests {
  @Test(arguments: newSeeds(4), BrowserWalk.sizes)
  func `does what a slow model does, and draws what a fresh start would`(
    seed: UInt64,
    size: ScreenSize
  ) throws {
    var walk = try BrowserWalk(seed: seed, size: size)
    try walk.run(keys: 500, comparing: 5)
  }
}
