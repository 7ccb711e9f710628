import OutlineEngine

/// Why an outline refused an edit; nothing has changed then.
public enum OutlineError<ID: Hashable & Sendable>: Error, Hashable {
  /// No value has the id.
  case unknownID(ID)
  /// No value has the id that was named as a parent.
  case unknownParent(ID)
  /// A value has the id already.
  case duplicateID(ID)
  /// The new parent is the node itself or below it.
  case wouldCreateCycle(moving: ID, under: ID)
  /// There are fewer places among the children of the parent, or of the roots for `nil`.
  case indexOutOfRange(Int, under: ID?)
  /// The order does not name each child once.
  case notAPermutation(of: ID?)
  /// The outline was edited since the matches were found.
  case staleMatches
  /// No node is at the position.
  case positionOutOfRange(Int)
  /// The id is that of a leaf, which has no children to load.
  case notAGroup(ID)
}

extension OutlineError: CustomStringConvertible {
  /// What cannot be done, in words.
  ///
  /// - Complexity: O(ids named).
  public var description: String {
    switch self {
    case .unknownID(let id): "there is no \(id)"
    case .unknownParent(let id): "there is no parent \(id)"
    case .duplicateID(let id): "\(id) is there already"
    case .wouldCreateCycle(let id, let parent):
      "cannot move \(id) under \(parent): \(parent) is inside \(id)"
    case .indexOutOfRange(let index, let parent):
      "there is no place \(index) \(Self.place(parent))"
    case .notAPermutation(let parent):
      "the order does not name each node \(Self.place(parent)) once"
    case .staleMatches: "the matches are those of the outline before an edit"
    case .positionOutOfRange(let position): "there is no node at \(position)"
    case .notAGroup(let id): "\(id) is a leaf"
    }
  }

  private static func place(_ parent: ID?) -> String {
    parent.map { "under \($0)" } ?? "among the roots"
  }
}

/// Why a batch of edits was refused, and which of them was at fault.
public struct RefusedEdit<ID: Hashable & Sendable>: Error, Hashable {
  /// The index of the edit in the batch.
  public let index: Int
  /// What was wrong with it.
  public let reason: OutlineError<ID>

  /// - Parameters:
  ///   - index: The index of the edit in the batch.
  ///   - reason: What was wrong with it.
  /// - Complexity: O(1).
  public init(index: Int, reason: OutlineError<ID>) {
    self.index = index
    self.reason = reason
  }
}

extension RefusedEdit: CustomStringConvertible {
  /// The edit and what speaks against it, in words.
  ///
  /// - Complexity: O(ids named).
  public var description: String { "edit \(index) of the batch: \(reason)" }
}
