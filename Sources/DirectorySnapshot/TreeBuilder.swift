import DirectoryModel
import Outlines
import TextRules

/// Turns records into the sorted tree that a snapshot holds.
///
/// Linking, rings and preorder are `Outlines`' work; what is added here is the meaning: which
/// record is a group and which a leaf, how siblings are ordered, what cannot be placed and why,
/// and how many people a department has.
package enum TreeBuilder {
  /// What to do about a locale that is not known.
  package static let localeAdvice =
    "set locale to a BCP 47 tag such as de, zh or und, or to C"

  /// Builds the tree of all records.
  ///
  /// - Parameters:
  ///   - records: All records of one consistent read; consumed, so that there is one copy of them.
  ///   - locale: The directory's locale for the order of names, as `Collator` takes it.
  ///   - hash: The hash of the id indexes.
  /// - Returns: The tree, in the columns that a snapshot stores.
  /// - Complexity: O(records), but for sorting siblings.
  /// - Throws: When the locale is unknown or the directory is larger than the file's offsets reach.
  package static func build(
    _ records: consuming DirectoryRecords,
    locale: String,
    hash: SipHash13 = .random()
  ) throws(DirectoryError) -> DirectoryTree {
    let placement = try Placement(&records, hash: hash)
    let departmentCount = records.departments.count
    guard departmentCount + records.memberships.count < Int32.max else {
      throw DirectoryError(.badData, "cannot hold more than 2 147 483 646 nodes")
    }
    let linked = try link(records, placement, locale: locale)
    return DirectoryTree(records, placement, linked)
  }

  private static func link(
    _ records: borrowing DirectoryRecords,
    _ placement: Placement,
    locale: String
  ) throws(DirectoryError) -> LinkedHierarchy {
    let order: SiblingOrder
    do throws(TextRulesError) {
      order = try SiblingOrder(copy records, locale: locale)
    } catch {
      throw DirectoryError(.usage, "\(error)", advice: localeAdvice)
    }
    let departments = records.departments
    let userIDs = records.users.ids
    let sortOrders = records.memberships.sortOrders
    let users = placement.membershipUsers
    let departmentCount = departments.count
    return Hierarchy.link(
      parents: placement.departmentParents + placement.membershipDepartments,
      isGroup: { $0 < departmentCount },
      by: { left, right in
        let leftIsGroup = left < departmentCount
        guard leftIsGroup == (right < departmentCount) else { return leftIsGroup }
        if leftIsGroup { return order.departmentPrecedes(left, right, departments) }
        let leftOrder = sortOrders[left - departmentCount]
        let rightOrder = sortOrders[right - departmentCount]
        if leftOrder != rightOrder { return leftOrder < rightOrder }
        return order.userPrecedes(
          Int(users[left - departmentCount]),
          Int(users[right - departmentCount]),
          ids: userIDs
        )
      }
    )
  }
}
