/// What a usual field is called, here and elsewhere: the only place that says so.
///
/// Sources: RFC 6350 (vCard 4) and RFC 9554 (`PRONOUNS`, `PHONETIC`); RFC 2798 (`inetOrgPerson`) with
/// RFC 4519 and RFC 4524, whose attributes it takes up. `HeadingCatalogue` has the headings of columns.
///
/// A further field for every directory is a line of `often` and a migration that declares it in
/// `staffbook.fields`. Its values then stand with those of other declared fields, where triggers,
/// snapshots and formats find them, and where earlier versions of the program read and write them. Only
/// the contact fields, which are older than declarations, have columns of their own.
///
/// `db migrate --repair` runs the migration again, when the field may have been removed: it declares it
/// only where its own number is not in `staffbook.migrations`, and leaves a declaration that is there
/// alone. Meanwhile it disables the trigger `record_inserted` of `staffbook.fields`: history asks for no
/// declaration that it has not seen, and the transactions of users keep their numbers.
package struct KnownField: Sendable {
  package let name: String
  package let owner: RecordKind
  package let kind: FieldKind
  package let label: String
  package let isMultiple: Bool
  /// Property and `TYPE`, such as `TEL;TYPE=cell`; a number in brackets is a component, from 1.
  ///
  /// Of fields that share a property the first whose type fits has it, so a fax at home is a fax.
  package let vCard: String?
  /// An attribute's name.
  package let ldap: String?
  /// Of a person: what the people are to that person in whose field he or she stands.
  package let inverse: String?
  /// What a column of it is often called, beside its name and label.
  package var headings: [Substring] { HeadingCatalogue.headings(of: name) }

  /// Reads a line of the catalogue.
  private init(_ line: Substring, of owner: RecordKind) {
    let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
      cell.split(separator: " ").joined(separator: " ")
    }
    func optional(_ index: Int) -> String? { cells[index].isEmpty ? nil : cells[index] }
    guard cells.count == 6, let kind = FieldKind(rawValue: cells[2].filter { $0 != "…" }) else {
      preconditionFailure("the catalogue of fields has a malformed line: \(line)")
    }
    (name, label, self.kind, self.owner) = (cells[0], cells[1], kind, owner)
    isMultiple = cells[2].hasSuffix("…")
    (vCard, ldap, inverse) = (optional(3), optional(4), optional(5))
  }

  private static func fields(_ lines: String, of owner: RecordKind) -> [KnownField] {
    lines.split(separator: "\n").map { KnownField($0, of: owner) }
  }
}

// Name, label, kind (… where a record may have several values), vCard, LDAP, inverse.
extension KnownField {
  private static let ofPeople = """
    name  | Name  | text | FN    | cn    |
    title | Title | text | TITLE | title |
    """

  /// The fields by which people are reached: columns of their own in the database and in files.
  private static let ofContacts = """
    email | Email | email | EMAIL;TYPE=work | mail            |
    phone | Phone | phone | TEL;TYPE=work   | telephoneNumber |
    """

  private static let ofDepartments = """
    description | About | text | NOTE | description |
    """

  private static let often = """
    given_name      | Given name      | text   | N[2]               | givenName                |
    family_name     | Family name     | text   | N[1]               | sn                       |
    phonetic_name   | Name as read    | text   | FN;PHONETIC=script |                          |
    nickname        | Nickname        | text   | NICKNAME           |                          |
    pronouns        | Pronouns        | text   | PRONOUNS           |                          |
    role            | Role            | text   | ROLE               |                          |
    fax             | Fax             | phone  | TEL;TYPE=fax       | facsimileTelephoneNumber |
    mobile          | Mobile          | phone  | TEL;TYPE=cell      | mobile                   |
    home_phone      | Home phone      | phone  | TEL;TYPE=home      | homePhone                |
    other_phones    | Further phones  | phone… | TEL                | telephoneNumber          |
    other_emails    | Further emails  | email… | EMAIL              | mail                     |
    office          | Office          | text   |                    | roomNumber               |
    building        | Building        | text   |                    |                          |
    address         | Address         | text   | ADR;TYPE=work      | postalAddress            |
    employee_number | Employee number | text   |                    | employeeNumber           |
    employment      | Employment      | text   |                    | employeeType             |
    manager         | Manager         | person |                    | manager                  | Reports
    assistant       | Assistant       | person | RELATED;TYPE=agent | secretary                | Assists
    cost_centre     | Cost centre     | text   |                    |                          |
    url             | URL             | url    | URL                | labeledURI               |
    languages       | Languages       | text…  | LANG               | preferredLanguage        |
    birthday        | Birthday        | date   | BDAY               |                          |
    joined          | Joined          | date   |                    |                          |
    note            | Note            | text   | NOTE               | description              |
    """

  /// The fields that every directory has.
  package static let builtIn =
    fields(ofPeople, of: .user) + contacts + fields(ofDepartments, of: .department)

  fileprivate static let contacts = fields(ofContacts, of: .user)

  /// The fields that a company often adds; `field add` takes kind and label from here.
  package static let usual = fields(often, of: .user)

  /// The usual field of a name.
  package static func usual(_ name: String) -> KnownField? { usual.first { $0.name == name } }
}

extension Field {
  /// The fields by which people are reached: each has one value, which may be empty.
  package static let contacts = KnownField.contacts.enumerated().map { place, known in
    var field = Field(name: known.name, of: .user, kind: known.kind, label: known.label)
    field.column = place
    return field
  }

  /// Where mail goes; it also names a person of whom nothing else does.
  package static let email = contacts[0]
  package static let phone = contacts[1]

  /// The contact field of a name.
  package static func contact(_ name: String) -> Field? { contacts.first { $0.name == name } }

  /// A field as the catalogue knows it, else a text under its own name.
  package init(usual name: String, of owner: RecordKind) {
    let known = KnownField.usual(name)
    let spelled = name.replacing("_", with: " ")
    self.init(
      name: name,
      of: owner,
      kind: known?.kind ?? .text,
      label: known?.label ?? spelled.prefix(1).uppercased() + spelled.dropFirst(),
      isMultiple: known?.isMultiple ?? false
    )
  }

  /// What the catalogue says of it; a field of another kind has nothing but the name in common.
  package var known: KnownField? {
    let fields = column == nil ? KnownField.usual : KnownField.builtIn
    return fields.first { $0.name == name && $0.kind == kind }
  }

  /// Whether a text can be the name of a field: the constraint `fields_name_form`.
  package static func isWellFormed(_ name: String) -> Bool {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first) else { return false }
    return name.utf8.count <= 63
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
      }
  }
}
