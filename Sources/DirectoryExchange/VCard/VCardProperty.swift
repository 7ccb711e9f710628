import DirectoryModel

/// Names of the properties that a directory's cards are made of.
///
/// What vCard has no place for goes into extended properties (RFC 6350 §6.10), so that a card read
/// back gives the same record. Ids in them are percent-encoded (`VCardText.appendID`).
enum VCardProperty {
  static let begin = "BEGIN"
  static let version = "VERSION"
  static let kind = "KIND"
  static let uid = "UID"
  static let formattedName = "FN"
  static let name = "N"
  static let organization = "ORG"
  static let title = "TITLE"
  static let note = "NOTE"
  static let member = "MEMBER"
  static let end = "END"

  /// Those of contact fields, as the catalogue has them.
  static let contacts = ContactValues { (field) -> String in
    let spelling = field.known?.vCard ?? ""
    return spelling.split(separator: ";").first.map(String.init) ?? field.name.uppercased()
  }

  /// The record's id.
  static let id = "X-STAFFBOOK-ID"
  /// The id of the department above a department.
  static let parent = "X-STAFFBOOK-PARENT"
  /// The id of a department that a person belongs to; the first one is the primary department.
  static let department = "X-STAFFBOOK-DEPARTMENT"
  /// The id of a person's primary department, where that is none of the card's.
  static let primary = "X-STAFFBOOK-MAIN"
  /// The place among siblings: of a department, or of a person in the department of the same group.
  static let order = "X-STAFFBOOK-ORDER"

  /// `true` where a person leads the department of the same group.
  static let leads = "X-STAFFBOOK-LEADS"
  /// Name and values of a declared field, parted by semicolons; ids are encoded as all ids are.
  static let field = "X-STAFFBOOK-FIELD"
  /// The parameter of an `N` that was made of the whole name, and tells nothing more.
  static let derived = "X-STAFFBOOK-DERIVED"

  /// What Apple's address book has for `KIND` and `MEMBER` in cards of version 3.0.
  static let appleKind = "X-ADDRESSBOOKSERVER-KIND"
  static let appleMember = "X-ADDRESSBOOKSERVER-MEMBER"
}

/// A version of vCard.
package enum VCardVersion: String, Sendable, CaseIterable {
  /// RFC 2426, for older phones.
  case v3 = "3.0"
  /// RFC 6350.
  case v4 = "4.0"
}
