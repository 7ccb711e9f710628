import DirectoryModel

/// Takes the values of declared fields out of a card.
struct VCardReadValues {
  /// By the field's name.
  private(set) var values: [String: [[UInt8]]] = [:]
  /// Names of properties whose values no field takes.
  private(set) var leftOut: [String] = []

  /// - Parameters:
  ///   - card: Loses the properties whose values were taken.
  ///   - fields: The fields of its owner.
  ///   - people: The id of a person by the UID of the card.
  /// - Throws: What is wrong with the card.
  init(
    takingFrom card: inout VCardCard,
    _ fields: VCardFields,
    people: [[UInt8]: [UInt8]]
  ) throws(VCardError) {
    guard !fields.isEmpty else { return }
    var rest: [VCardReadProperty] = []
    for property in card.properties where property.name != VCardProperty.field {
      guard let place = fields.place(claiming: property) else {
        rest.append(property)
        continue
      }
      let value =
        place.field.kind == .person
        ? people[VCardCard.comparedUID(property.value)]
        : try place.value(in: property, isOld: card.isOld)
      take(value, of: place.field, from: property)
    }
    try takeName(card, fields)
    for property in card.all(VCardProperty.field) { try takeOwn(property, card, fields) }
    card.properties = rest
  }

  private mutating func take(_ value: [UInt8]?, of field: Field, from property: VCardReadProperty) {
    guard let value, field.isMultiple || values[field.name] == nil else {
      if !property.value.isEmpty { leftOut.append(property.name) }
      return
    }
    values[field.name, default: []].append(value)
  }

  /// Components of `N`, unless they were made of the whole name.
  private mutating func takeName(_ card: VCardCard, _ fields: VCardFields) throws(VCardError) {
    guard let property = card.all(VCardProperty.name).first,
      !property.parameters.contains(where: { $0.name == VCardProperty.derived })
    else { return }
    let parts = VCardText.components(of: try property.text(), isOld: card.isOld)
    for (index, part) in parts.enumerated() where !part.isEmpty {
      let name = fields.name(ofComponent: index, of: VCardProperty.name)
      if let name { values[name] = [part] }
    }
  }

  /// What `VCardProperty.field` holds counts, whatever else the card has.
  private mutating func takeOwn(
    _ property: VCardReadProperty,
    _ card: VCardCard,
    _ fields: VCardFields
  ) throws(VCardError) {
    let parts = VCardText.components(of: try property.text(), isOld: card.isOld)
    let name = String(decoding: parts[0], as: UTF8.self)
    guard let field = fields.field(name) else {
      leftOut.append(name)
      return
    }
    let texts = parts.dropFirst().filter { !$0.isEmpty }
    values[name] = field.kind == .person ? texts.map { VCardText.id($0) } : texts
  }

  /// Takes what a built-in field has left of a property.
  mutating func take(_ texts: [[UInt8]], by place: VCardFields.Place) {
    guard values[place.field.name] == nil else { return }
    let accepted = texts.filter { place.field.kind.accepts($0) }
    if !accepted.isEmpty { values[place.field.name] = accepted }
    leftOut += texts.dropFirst(accepted.count).map { _ in place.property }
  }
}
