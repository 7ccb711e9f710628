import DirectoryModel
import DirectorySnapshot

/// What is laid over the directory of a class of viewers for one of them, so that no one is a class
/// of their own: the viewer's own card, and cards of people who are found by a whole address or
/// number.
///
/// Rows, lists, counts and searches have nothing of it.
package struct CardOverlay: Sendable {
  let whole: DirectoryState
  let sight: Sight
  /// The viewer; `nil` for a device.
  let me: UserID?

  /// - Parameters:
  ///   - whole: The same state with everything in it.
  ///   - sight: What the class sees of it.
  ///   - viewer: Who looks.
  package init(_ whole: DirectoryState, _ sight: Sight, _ viewer: Viewer) {
    (self.whole, self.sight) = (whole, sight)
    if case .person(let id) = viewer { me = id } else { me = nil }
  }
}

extension Directory {
  /// The viewer's own card: all of the record but fields that are not for oneself, with places as they
  /// are recorded.
  ///
  /// Of others it says what the class sees: who is not shown, or not shown to lead a department, is left
  /// out.
  ///
  /// - Returns: `nil` for a viewer who is not a person of the directory.
  /// - Throws: `SnapshotError.damaged`.
  package func ownCard() throws -> DirectoryRow? {
    guard let overlay, let me = overlay.me,
      let user = try overlay.whole.userIndex.row(of: me.rawValue)
    else { return nil }
    let whole = Directory(overlay.whole)
    guard let leaf = try whole.leaf(ofUser: user) else { return nil }
    var card = try whole.card(at: leaf)
    var departments = card.departments ?? []
    for index in departments.indices {
      departments[index].leaders = try others(leading: departments[index].id)
    }
    card.departments = departments
    card.inverses = try inverses(of: me.rawValue)
    card.values = try shown(card.values, of: overlay.whole, without: notForOneself)
    card.named = try named(in: card)
    return card
  }

  /// The vCard of the viewer's own card, of version 4.0.
  ///
  /// - Returns: `nil` for a viewer who is not a person of the directory.
  /// - Throws: As `DirectoryState.init(_:for:now:_:)`.
  package func ownVCard() throws -> String? {
    guard let overlay, let me = overlay.me, let card = try ownCard() else { return nil }
    // A directory of the viewer, and of those whom the card names.
    let named = overlay.whole.fields.declared.of(.user).filter { $0.kind == .person }
      .flatMap { card.values?.values?[$0.name]?.texts ?? [] }
    var sight = Sight(
      ([me.rawValue] + named).map { Sight.Places(.person(UserID($0)), .shown) }
    )
    sight.fields = [
      Sight.Fields(.person(me), .some(notForOneself), isShown: false),
      Sight.Fields(.person(me), .all, isShown: true),
    ]
    let own = Directory(try DirectoryState(overlay.whole.snapshot, for: sight))
    guard let node = try own.node(of: .person(me)) else { return nil }
    return try own.vCard(at: node)
  }

  /// The fields of cards, contacts first: what no record shows is not among them, but what the viewer's
  /// own card shows is.
  package var shownFields: [Field] {
    guard let overlay, overlay.me != nil else {
      let hidden = hiddenFields(of: .user)
      return Field.contacts.filter { !hidden.contains($0.name) } + declaredFields
    }
    let notForOneself = notForOneself
    let declared = overlay.whole.fields.declared.filter { field in
      declaredFields.contains(field)
        || field.owner == .user && !notForOneself.contains(field.name)
    }
    return Field.contacts + declared
  }

  func isOwn(_ row: DirectoryRow) -> Bool {
    row.kind == .user && overlay?.me == UserID(row.id)
  }

  private var notForOneself: Set<String> {
    Set(
      overlay?.whole.fields.declared.filter { $0.owner == .user && !$0.isForOneself }.map(\.name)
        ?? []
    )
  }

  /// Those but the viewer who are shown in a department, and to lead it.
  private func others(
    leading department: DepartmentID
  ) throws(SnapshotError) -> [DirectoryRow.PersonReference] {
    guard let node = try position(of: department) else { return [] }
    return try leaders(of: node).filter { $0.id != overlay?.me }
  }

  /// Values of a person without those of some fields and those that name a person who is not shown.
  func shown(
    _ values: FieldValues?,
    of whole: DirectoryState,
    without hidden: Set<String>
  ) throws -> FieldValues {
    var shown: [String: FieldValues.Value] = [:]
    for field in whole.fields.declared.of(.user) where !hidden.contains(field.name) {
      guard let value = values?.values?[field.name] else { continue }
      guard field.kind == .person else {
        shown[field.name] = value
        continue
      }
      let there = try value.texts.filter {
        try $0.utf8.elementsEqual(overlay?.me?.rawValue.utf8 ?? "".utf8)
          || state.userIndex.row(of: $0) != nil
      }
      switch value {
      case .one: shown[field.name] = there.isEmpty ? nil : value
      case .several: shown[field.name] = there.isEmpty ? nil : .several(there)
      }
    }
    return FieldValues(shown)
  }
}
