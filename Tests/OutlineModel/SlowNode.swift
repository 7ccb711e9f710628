import Outlines

/// A node that holds its children, and everything that is known of it.
package final class SlowNode {
  package enum Loading: Hashable {
    case loaded, notLoaded, loading, failed
  }

  package var item: Item
  package var isGroup: Bool
  package var children: [SlowNode] = []
  package unowned var parent: SlowNode?

  /// Open without a filter.
  var isOpen = false
  var isPinned = false
  var loading = Loading.loaded

  var isMatch = false
  /// Open in the filtered list, if it is shown there.
  var isOpenInFilter = false
  var isOpenedByHand = false
  /// As the filter had it when it was looked at last.
  var wasShown = false
  var wasLeading = false
  var isNew = true

  init(_ item: Item, isGroup: Bool) {
    self.item = item
    self.isGroup = isGroup
  }

  /// The node and all below it, in preorder.
  package var all: [SlowNode] { [self] + children.flatMap(\.all) }

  package var below: [SlowNode] { children.flatMap(\.all) }

  package var ancestors: [SlowNode] { parent.map { [$0] + $0.ancestors } ?? [] }

  package var level: Int { parent.map { $0.level + 1 } ?? 0 }

  func isInside(_ other: SlowNode) -> Bool {
    self === other || parent.map { $0.isInside(other) } ?? false
  }

  /// Takes over what is known of the node that had the id before.
  func takeOver(_ before: SlowNode) {
    (isOpen, isPinned, isMatch) = (before.isOpen, before.isPinned, before.isMatch)
    (isOpenInFilter, isOpenedByHand) = (before.isOpenInFilter, before.isOpenedByHand)
    (wasShown, wasLeading, isNew) = (before.wasShown, before.wasLeading, false)
  }

  /// Whether a node below matches; also notes it for each node below.
  func noteLeading(into leading: inout Set<Int>) -> Bool {
    var leads = false
    for child in children where child.noteLeading(into: &leading) || child.isMatch { leads = true }
    if leads { leading.insert(item.id) }
    return leads
  }
}
