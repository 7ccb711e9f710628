/// What a usual field is called, here and elsewhere: the only place that says so.
///
/// Sources: RFC 6350 (vCard 4) and RFC 9554 (`PRONOUNS`, `PHONETIC`); RFC 2798 (`inetOrgPerson`) with
/// RFC 4519 and RFC 4524, whose attributes it takes up; RFC 7643 (SCIM) §4.1 and §4.3. Headings are
/// those of exports by Google Contacts, Microsoft Outlook, Entra ID and Workday, folded to small
/// letters.
package struct KnownField: Sendable {
  package var name: String
  package var owner: RecordKind
  package var kind: FieldKind
  package var label: String
  package var isMultiple: Bool
  /// Property and `TYPE`, such as `TEL;TYPE=cell`; a number in brackets is a component, from 1.
  ///
  /// Of fields that share a property the first whose type fits has it, so a fax at home is a fax.
  package var vCard: String?
  /// An attribute's name.
  package var ldap: String?
  /// An attribute's path; `enterprise:` stands for the schema of RFC 7643 §4.3.
  package var scim: String?
  /// Of a person: what the people are to that person in whose field he or she stands.
  package var inverse: String?
  /// What a column of it is often called, beside its name and label.
  package var headings: [String]

  private init(
    _ name: String,
    _ label: String,
    _ kind: FieldKind = .text,
    of owner: RecordKind = .user,
    several: Bool = false,
    vCard: String? = nil,
    ldap: String? = nil,
    scim: String? = nil,
    inverse: String? = nil,
    _ headings: String...
  ) {
    self.name = name
    self.owner = owner
    self.kind = kind
    self.label = label
    isMultiple = several
    self.vCard = vCard
    self.ldap = ldap
    self.scim = scim
    self.inverse = inverse
    self.headings = headings
  }
}

extension KnownField {
  /// The fields that every directory has.
  package static let builtIn = named + contacts + [about]

  private static let named = [
    KnownField(
      "name",
      "Name",
      vCard: "FN",
      ldap: "cn",
      scim: "displayName",
      "full name",
      "display name"
    ),
    KnownField("title", "Title", vCard: "TITLE", ldap: "title", scim: "title", "job title"),
  ]

  /// By `ContactField.rawValue`.
  static let contacts = [
    KnownField(
      "email",
      "Email",
      .email,
      vCard: "EMAIL;TYPE=work",
      ldap: "mail",
      scim: "emails",
      "mail",
      "e-mail",
      "email address"
    ),
    KnownField(
      "phone",
      "Phone",
      .phone,
      vCard: "TEL;TYPE=work",
      ldap: "telephoneNumber",
      scim: "phoneNumbers[type eq \"work\"]",
      "telephone",
      "business phone",
      "office phone"
    ),
  ]

  private static let about = KnownField(
    "description",
    "About",
    of: .department,
    vCard: "NOTE",
    ldap: "description"
  )

  /// The fields that a company often adds; `field add` takes kind and label from here.
  package static let usual: [KnownField] = [
    KnownField(
      "given_name",
      "Given name",
      vCard: "N[2]",
      ldap: "givenName",
      scim: "name.givenName",
      "first name"
    ),
    KnownField(
      "family_name",
      "Family name",
      vCard: "N[1]",
      ldap: "sn",
      scim: "name.familyName",
      "last name",
      "surname"
    ),
    KnownField(
      "phonetic_name",
      "Name as read",
      vCard: "FN;PHONETIC=script",
      "yomi name"
    ),
    KnownField("nickname", "Nickname", vCard: "NICKNAME", scim: "nickName"),
    KnownField("pronouns", "Pronouns", vCard: "PRONOUNS"),
    KnownField("role", "Role", vCard: "ROLE"),
    KnownField(
      "fax",
      "Fax",
      .phone,
      vCard: "TEL;TYPE=fax",
      ldap: "facsimileTelephoneNumber",
      scim: "phoneNumbers[type eq \"fax\"]",
      "business fax"
    ),
    KnownField(
      "mobile",
      "Mobile",
      .phone,
      vCard: "TEL;TYPE=cell",
      ldap: "mobile",
      scim: "phoneNumbers[type eq \"mobile\"]",
      "mobile phone",
      "cell phone"
    ),
    KnownField(
      "home_phone",
      "Home phone",
      .phone,
      vCard: "TEL;TYPE=home",
      ldap: "homePhone",
      scim: "phoneNumbers[type eq \"home\"]"
    ),
    KnownField(
      "other_phones",
      "Further phones",
      .phone,
      several: true,
      vCard: "TEL",
      ldap: "telephoneNumber",
      scim: "phoneNumbers",
      "additional phones"
    ),
    KnownField(
      "other_emails",
      "Further emails",
      .email,
      several: true,
      vCard: "EMAIL",
      ldap: "mail",
      scim: "emails",
      "alternate emails"
    ),
    KnownField("office", "Office", ldap: "roomNumber", "room", "office location"),
    KnownField("building", "Building", .text, "site"),
    KnownField(
      "address",
      "Address",
      vCard: "ADR;TYPE=work",
      ldap: "postalAddress",
      scim: "addresses[type eq \"work\"].formatted",
      "business address",
      "postal address"
    ),
    KnownField(
      "employee_number",
      "Employee number",
      ldap: "employeeNumber",
      scim: "enterprise:employeeNumber",
      "employee id"
    ),
    KnownField(
      "employment",
      "Employment",
      ldap: "employeeType",
      scim: "userType",
      "employee type",
      "worker type"
    ),
    KnownField(
      "manager",
      "Manager",
      .person,
      ldap: "manager",
      scim: "enterprise:manager",
      inverse: "Reports"
    ),
    KnownField(
      "assistant",
      "Assistant",
      .person,
      vCard: "RELATED;TYPE=agent",
      ldap: "secretary",
      inverse: "Assists"
    ),
    KnownField("cost_centre", "Cost centre", scim: "enterprise:costCenter", "cost center"),
    KnownField(
      "url",
      "URL",
      .url,
      vCard: "URL",
      ldap: "labeledURI",
      scim: "profileUrl",
      "web page",
      "website"
    ),
    KnownField(
      "languages",
      "Languages",
      several: true,
      vCard: "LANG",
      ldap: "preferredLanguage",
      scim: "preferredLanguage",
      "language"
    ),
    KnownField("birthday", "Birthday", .date, vCard: "BDAY", "date of birth"),
    KnownField("joined", "Joined", .date, "hire date", "start date"),
    KnownField("note", "Note", vCard: "NOTE", ldap: "description", "notes"),
  ]

  /// The usual field of a name.
  package static func usual(_ name: String) -> KnownField? { usual.first { $0.name == name } }
}

extension Field {
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

  /// Whether a text can be the name of a field: the constraint `fields_name_form`.
  package static func isWellFormed(_ name: String) -> Bool {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first) else { return false }
    return name.utf8.count <= 63
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
      }
  }
}
