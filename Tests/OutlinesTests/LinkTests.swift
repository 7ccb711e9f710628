import Outlines
import Testing

@Suite("Linking")
struct LinkTests {
  @Test func `empty input makes an empty hierarchy`() throws {
    let linked = Hierarchy.link(parents: []) { $0 < $1 }
    try linked.hierarchy.validate()
    #expect(linked.hierarchy.isEmpty)
    #expect(Array(linked.hierarchy.roots).isEmpty)
  }
}
