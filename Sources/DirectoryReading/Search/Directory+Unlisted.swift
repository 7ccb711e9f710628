import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import TextRules

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
    guard name.form == .any, overlay.sight.places.contains(where: { $0.outcome == .unlisted })
    else { return nil }
    let whole = Directory(overlay.whole)
    var options = SearchOptions("\"\(text.split(separator: "\"").joined(separator: " "))\"")
    (options.limit, options.allowsErrors, options.allowsTiers) = (Self.mostHolders, false, false)
    var cards: [DirectoryRow] = []
    _ = try whole.searcher().forEachHit(of: options) { hit in
      guard hit.row.kind == .user, let user = try overlay.whole.userIndex.row(of: hit.row.id),
        let hidden = try overlay.whole.snapshot.hidden(ofUnlisted: user, by: overlay.sight)
      else { return }
      let card = try cardWithoutPlaces(hit.row, of: overlay.whole, hidden)
      if isHolder(card, of: text, overlay.whole) { cards.append(card) }
    }
    guard cards.count == 1 else { return nil }
    // People in lists who have the text, too, are found as they are for everybody.
    var isListed = false
    _ = try searcher().forEachHit(of: options) { hit in
      if hit.row.kind == .user, isHolder(hit.row, of: text, state) { isListed = true }
    }
    return isListed ? nil : cards[0]
  }

  /// So many people who have a text in a field are looked at.
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

  /// Whether a text is a whole address or number of a card.
  private func isHolder(_ card: DirectoryRow, of text: String, _ whole: DirectoryState) -> Bool {
    var texts = card.contacts?.all.compactMap { $0 } ?? []
    for field in whole.fields.declared.of(.user) where field.kind == .email || field.kind == .phone
    {
      texts += card.values?.values?[field.name]?.texts ?? []
    }
    let wanted = Folding.fold(text)
    let digits = text.utf8.filter { (0x30...0x39).contains($0) }
    return texts.contains { value in
      if Folding.fold(value) == wanted { return !wanted.isEmpty }
      // A number is the same however it is grouped.
      guard !text.utf8.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }),
        digits.count >= 6
      else { return false }
      return value.utf8.filter { (0x30...0x39).contains($0) } == digits
    }
  }
}
