import DirectoryModel
import OutlineEngine
import SystemPackage
import TextRules

/// A stored snapshot with changes applied, without rereading or sorting what did not change.
///
///     let update = try SnapshotUpdate(of: snapshot, changes: changes, locale: "und")
///     if !update.summary.isEmpty { try update.write(to: path, metadata: metadata) }
///
/// What it writes is node for node what `TreeBuilder` makes of the new state; rows may be numbered
/// otherwise. Where that cannot be had by the changes alone it throws `needsEverything`.
package struct SnapshotUpdate: Sendable {
  /// What the changes come to; empty when all that was reread is the same.
  package let summary: ChangeSummary
  package let departmentCount: Int
  package let userCount: Int
  package let membershipCount: Int

  let stored: StoredDirectory
  let resolved: RowChangeSet
  let edit: TreeEdit
  let plans: Plans

  /// How the rows of the three tables are numbered.
  struct Plans: Sendable {
    let departments: RowNumbering
    let users: RowNumbering
    let memberships: RowNumbering

    init(_ resolved: RowChangeSet) {
      let stored = resolved.stored
      departments = RowNumbering(
        oldCount: stored.departmentCount,
        removed: resolved.removedDepartments,
        addedCount: resolved.addedDepartments.count
      )
      users = RowNumbering(
        oldCount: stored.userCount,
        removed: resolved.users.lazy.filter(\.isRemoved).map(\.row),
        addedCount: resolved.addedUsers.count
      )
      memberships = RowNumbering(
        oldCount: stored.membershipCount,
        removed: resolved.removedMemberships.sorted(),
        addedCount: resolved.addedMemberships.count
      )
    }
  }

  /// Whether every node stands where it stood, for the same record in the same row.
  var keepsPlaces: Bool {
    edit.isEmpty
      && [plans.departments, plans.users, plans.memberships].allSatisfy {
        $0.count == $0.oldCount && $0.added.isEmpty
      }
  }

  /// Works out what changes do.
  ///
  /// - Parameters:
  ///   - old: The stored state; every byte of it is verified.
  ///   - changes: What differs at the source; rows may be what they were.
  ///   - locale: The directory's locale, as `Collator` takes it.
  /// - Throws: `needsEverything` where the new state does not follow; `snapshot` for damage;
  ///   `directory` for an unknown locale.
  /// - Complexity: O(bytes of the snapshot) to verify it, at about the speed of memory; beyond that
  ///   O(changes · log siblings) and the siblings of what moved.
  package init(
    of old: DirectorySnapshot,
    changes: DirectoryChanges,
    locale: String
  ) throws(SnapshotUpdateError) {
    let collator: Collator
    do throws(TextRulesError) {
      collator = try Collator(locale: locale)
    } catch {
      throw .directory(DirectoryError(.usage, "\(error)", advice: TextRulesError.localeAdvice))
    }
    guard old.metadata.locale == locale, old.metadata.collationVersion == collator.version else {
      throw .needsEverything(.otherOrder)
    }
    do throws(SnapshotError) {
      stored = try StoredDirectory(old)
    } catch {
      throw .snapshot(error)
    }
    do throws(UpdateRefusal) {
      resolved = try RowChangeSet(changes, to: stored)
    } catch {
      throw .needsEverything(error)
    }
    plans = Plans(resolved)
    edit = TreeEdit(resolved, order: collator)
    summary = resolved.summary()
    departmentCount = plans.departments.count
    userCount = plans.users.count
    membershipCount = plans.memberships.count
    guard departmentCount + membershipCount < Int32.max,
      textPatches.allSatisfy({ $0.byteCount <= UInt32.max })
    else { throw .needsEverything(.tooLarge) }
  }
}
