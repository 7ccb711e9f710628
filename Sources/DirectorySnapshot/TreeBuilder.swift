import DirectoryModel
import OutlineEngine
import TextRules

/// Turns records into the sorted tree that a snapshot holds.
///
/// Linking, rings and preorder are `Outlines`' work; what is added here is the meaning: which
/// record is a group and which a leaf, how siblings are ordered, what cannot be placed and why,
/// and how many people a department has.
package enum TreeBuilder {
  /// Builds the tree of all records.
  ///
  /// - Parameters:
  ///   - records: All records of one consistent read; consumed, so that there is one copy of them.
  ///   - locale: The directory's locale for the order of names, as `Collator` takes it.
  ///   - hash: The hash of the id indexes.
  /// - Returns: The tree, in the columns that a snapshot stores.
  /// - Complexity: O(records), but for sorting siblings; some 60 bytes for each record at the most.
  /// - Throws: When the locale is unknown or the directory is larger than the file's offsets reach.
  package static func build(
    _ records: consuming DirectoryRecords,
    locale: String,
    hash: SipHash13 = .random()
  ) throws(DirectoryError) -> DirectoryTree {
    try build(records, TreePreparation(locale: locale, hash: hash))
  }

  /// Builds the tree of records that a preparation has looked at while they arrived, or at some of
  /// them, or at none.
  ///
  /// - Parameters:
  ///   - records: All records of one consistent read; consumed, so that there is one copy of them.
  ///   - preparation: What was the observer of that read.
  /// - Returns: The tree, in the columns that a snapshot stores.
  /// - Throws: When the locale is unknown or the directory is larger than the file's offsets reach;
  ///   `.interrupted` in a cancelled task.
  package static func build(
    _ records: consuming DirectoryRecords,
    _ preparation: TreePreparation
  ) throws(DirectoryError) -> DirectoryTree {
    let prepared: PreparedRows
    do throws(TextRulesError) {
      prepared = try preparation.finish(records)
    } catch {
      throw DirectoryError(.usage, "\(error)", advice: TextRulesError.localeAdvice)
    }
    try DirectoryError.checkCancellation()
    let placement = try Placement(&records, prepared)
    guard records.departments.count + records.memberships.count < Int32.max else {
      throw DirectoryError(.badData, "cannot hold more than 2 147 483 646 nodes")
    }
    try DirectoryError.checkCancellation()
    let order = SiblingOrder(records, placement, prepared)
    try DirectoryError.checkCancellation()
    return DirectoryTree(records, placement, order, link(placement, order))
  }

  /// Brings the nodes into preorder; inputs are departments, then memberships, as they are ordered.
  private static func link(_ placement: Placement, _ order: SiblingOrder) -> LinkedHierarchy {
    let departmentCount = order.departments.count
    var indexes = [Int32](repeating: 0, count: departmentCount)
    for (index, row) in order.departments.enumerated() {
      indexes[Int(row)] = Int32(truncatingIfNeeded: index)
    }
    var parents: [Int32] = []
    parents.reserveCapacity(departmentCount + order.memberships.count)
    for row in order.departments {
      let parent = placement.departmentParents[Int(row)]
      parents.append(parent < 0 ? Hierarchy.noParent : indexes[Int(parent)])
    }
    for row in order.memberships {
      parents.append(indexes[Int(placement.membershipDepartments[Int(row)])])
    }
    // Siblings come in order already, and stay in it.
    return Hierarchy.link(
      parents: parents,
      isGroup: { $0 < departmentCount },
      by: { _, _ in false }
    )
  }
}
