import DirectoryModel

/// Why a stored state cannot be brought up to date by changes alone; everything is to be read.
package enum UpdateRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Siblings are to be ordered by another locale, or by other rules of it.
  case otherOrder
  /// Something in the stored state has no place in the tree.
  case unplaced
  case unknownParent(of: DepartmentID, DepartmentID)
  /// A department would be below itself.
  case ring(DepartmentID)
  /// A department was removed, and departments or people are still in it.
  case departmentInUse(DepartmentID)
  case unknownUser(MembershipKey)
  case unknownDepartment(MembershipKey)
  case userWithoutMembership(UserID)
  /// The user's primary department is none of the user's departments.
  case unknownPrimary(UserID)
  /// A user was removed, and a membership is left.
  case membershipOfNobody(UserID)
  /// Two rows have the same key.
  case repeatedKey(String)
  /// Columns would outgrow their offsets.
  case tooLarge

  package var description: String {
    switch self {
    case .otherOrder: "names must be sorted for another locale or by newer rules"
    case .unplaced: "the snapshot contains unplaced records"
    case .unknownParent(let child, let parent):
      "the parent \(parent) of department \(child) is unknown"
    case .ring(let id): "department \(id) would be below itself"
    case .departmentInUse(let id): "department \(id) was removed but still has members"
    case .unknownUser(let key):
      "a membership in department \(key.department) names the unknown user \(key.user)"
    case .unknownDepartment(let key):
      "a membership of user \(key.user) names the unknown department \(key.department)"
    case .userWithoutMembership(let id): "user \(id) belongs to no department"
    case .unknownPrimary(let id): "user \(id) has no primary membership"
    case .membershipOfNobody(let id): "user \(id) was removed but still has memberships"
    case .repeatedKey(let key): "the key \(key) occurs twice"
    case .tooLarge: "the directory is larger than the snapshot's offsets reach"
    }
  }
}

/// Why there is no update.
package enum SnapshotUpdateError: Error, Equatable {
  /// Read everything and rebuild; nothing is wrong with the file.
  case needsEverything(UpdateRefusal)
  /// The stored state cannot be read.
  case snapshot(SnapshotError)
  /// The locale is unknown.
  case directory(DirectoryError)
}
