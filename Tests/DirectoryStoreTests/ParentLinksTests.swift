import Testing

@testable import DirectoryStore

@Suite("Rings among parent links")
struct ParentLinksTests {
  @Test(
    arguments: [
      ([], []), ([-1], []), ([0], [[0]]), ([1, 0], [[0, 1]]), ([-1, 0, 1], []),
      ([1, 2, 0, 0, 3], [[0, 1, 2]]), ([1, 1, 0, 4, 3, 3], [[1], [3, 4]]),
    ] as [([Int32], [[Int32]])]
  )
  func `are found without what hangs off them`(_ parents: [Int32], _ rings: [[Int32]]) {
    #expect(ParentLinks.rings(in: parents) == rings)
  }

  @Test func `are found in a chain and a ring of a million`() {
    let count: Int32 = 1_000_000
    let chain = (0..<count).map { $0 - 1 }
    #expect(ParentLinks.rings(in: chain) == [])
    #expect(
      ParentLinks.rings(in: chain.map { $0 < 0 ? count - 1 : $0 }).map(\.count) == [1_000_000]
    )
  }
}
