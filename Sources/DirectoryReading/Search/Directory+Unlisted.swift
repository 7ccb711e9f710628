import DirectoryModel
import DirectorySearch
import DirectorySnapshot

extension Directory {
  /// Whom a text means who is not in any list: the viewer, by the id, and a person who is unlisted,
  /// by a whole address or number that may be seen and that no one in a list has.
  ///
  /// - Returns: A card; that of an unlisted person has no places. `nil` for no one, and for
  ///   several.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  func cardLaidOver(_ text: String) throws -> DirectoryRow? {
    guard let overlay else { return nil }
    let name = DepartmentName(text)
    if let me = overlay.me, name.form == .any || name.form == .id,
      name.text.utf8.elementsEqual(me.rawValue.utf8)
    {
      return try ownCard()
    }
    guard name.form == .any, UnlistedPeople.isKey(text),
      let found = try state.unlisted(of: overlay.whole, overlay.sight).holder(of: text)
    else { return nil }
    let whole = Directory(overlay.whole)
    guard let leaf = try whole.leaf(ofUser: found.row) else { return nil }
    // People in lists who have the text, too, are found as they are for everybody.
    var options = SearchOptions("\"\(text.split(separator: "\"").joined(separator: " "))\"")
    (options.limit, options.allowsErrors, options.allowsTiers) = (Self.mostHolders, false, false)
    var isListed = false
    let total = try searcher().forEachHit(of: options) { hit in
      if hit.row.kind == .user, isHolder(hit.row, of: text) { isListed = true }
    }
    if case .moreThan = total { isListed = true }
    if isListed { return nil }
    return try cardWithoutPlaces(whole.listRow(at: leaf), of: overlay.whole, found.hidden)
  }

  /// So many people in lists who have a text in a field are looked at.
  private static var mostHolders: Int { 1_000 }

  private func cardWithoutPlaces(
    _ row: DirectoryRow,
    of whole: DirectoryState,
    _ hidden: HiddenFields
  ) throws -> DirectoryRow {
    var card = DirectoryRow(kind: .user, id: row.id, name: row.name)
    card.contacts = ContactValues { hidden.contains(.contact($0)) ? nil : row.contacts?[$0] ?? nil }
    card.values = try shown(row.values, of: whole, without: hidden.names)
    return card
  }

  /// Whether a text is a whole address or number of a row.
  private func isHolder(_ row: DirectoryRow, of text: String) -> Bool {
    var texts = row.contacts?.all.compactMap { $0 } ?? []
    for field in state.fields.declared.of(.user)
    where field.kind == .email || field.kind == .phone {
      texts += row.values?.values?[field.name]?.texts ?? []
    }
    return texts.contains { UnlistedPeople.isSame(text, as: $0) }
  }
}
