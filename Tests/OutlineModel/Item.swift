/// A value of an outline under test.
package struct Item: Identifiable, Hashable, Sendable {
  package let id: Int
  package var text: Int

  package init(id: Int, text: Int = 0) {
    self.id = id
    self.text = text
  }
}
