import DirectoryExchange
import DirectoryModel
import Testing

@Suite("Declared fields in files of others")
struct FieldReadingTests {
  /// All usual fields of people, and two of departments.
  private let fields =
    KnownField.usual.map {
      Field(name: $0.name, of: .user, kind: $0.kind, label: $0.label, isMultiple: $0.isMultiple)
    } + [
      Field(name: "fax", of: .department, kind: .phone, label: "Fax"),
      Field(name: "site", of: .department, label: "Site"),
    ]

  @Test func `a card's properties have their places, and what is left has others`() async throws {
    let seen = try await readList(
      """
      BEGIN:VCARD
      VERSION:4.0
      UID:urn:uuid:6F2B5C1E-0D8A-4E57-9B3D-51A477C620E8
      FN:Dr. Ada Lund
      FN;PHONETIC=script:エイダ
      N:Lund;Ada;;Dr.;
      NICKNAME:Addie
      ORG:Lumen
      TITLE:Head
      ROLE:Keeper
      TEL;TYPE=work:+1 555 0100
      TEL;TYPE="cell,voice":+1 555 0199
      TEL;TYPE=home,fax:+1 555 0177
      TEL;VALUE=uri;TYPE=home:tel:+1-555-0166
      TEL:+1 555 0155
      EMAIL;PREF=1:ada@lumen.example
      EMAIL:ada@home.example
      ADR;TYPE=work:;;Pier 4;Lighthouse;;12345;
      URL:https://lumen.example/ada
      BDAY:--0412
      LANG:de
      LANG;PREF=1:en
      NOTE:Likes\\, tea
      RELATED;TYPE=agent:urn:uuid:6f2b5c1e-0d8a-4e57-9b3d-51a477c620e9
      END:VCARD
      BEGIN:VCARD
      VERSION:3.0
      UID:6f2b5c1e-0d8a-4e57-9b3d-51a477c620e9
      FN:Bo Ek
      ORG:Lumen
      BDAY:1985-04-12T00:00:00Z
      TEL;TYPE=CELL:1
      TEL;TYPE=CELL:2
      END:VCARD

      """,
      as: .vCard,
      fields: fields
    )
    #expect(seen.problems == [])
    let ada = #"""
      u|6F2B5C1E-0D8A-4E57-9B3D-51A477C620E8|<Lumen|Dr. Ada Lund|Head|ada@lumen.example|\#
      +1 555 0100|0|{"fax": "+1 555 0177", "url": "https://lumen.example/ada", \#
      "note": "Likes, tea", "role": "Keeper", "mobile": "+1 555 0199", \#
      "address": "Pier 4, Lighthouse, 12345", "birthday": "--04-12", "nickname": "Addie", \#
      "assistant": "6f2b5c1e-0d8a-4e57-9b3d-51a477c620e9", "languages": ["de", "en"], \#
      "given_name": "Ada", "home_phone": "+1-555-0166", "family_name": "Lund", \#
      "other_emails": ["ada@home.example"], "other_phones": ["+1 555 0155"], \#
      "phonetic_name": "エイダ"}
      """#
    let bo = #"""
      u|6f2b5c1e-0d8a-4e57-9b3d-51a477c620e9|<Lumen|Bo Ek||||0|{"mobile": "1", \#
      "birthday": "1985-04-12"}
      """#
    #expect(seen.rows.dropFirst() == [ada, bo])
    #expect(seen.warnings == ["ignored unsupported fields: TEL 1"])
  }

  @Test func `an entry's attributes have their places, people by their names`() async throws {
    let seen = try await readList(
      """
      dn: ou=Lumen,o=x
      objectClass: organizationalUnit
      ou: Lumen
      facsimileTelephoneNumber: +1 555 0111

      dn: uid=ada,ou=Lumen,o=x
      objectClass: inetOrgPerson
      uid: ada
      cn: Ada Lund
      sn: Lund
      givenName: Ada
      mail: ada@lumen.example
      mail: ada@home.example
      mobile: +1 555 0199
      roomNumber: B 12
      employeeNumber: 007
      manager: UID=bo , OU=lumen,o=x
      secretary: uid=nobody,o=x
      postalAddress: Pier 4$Light\\24house
      labeledURI: https://lumen.example/ada Ada at work

      dn: uid=bo,ou=Lumen,o=x
      objectClass: inetOrgPerson
      uid: bo
      cn: Bo
      sn: Bo

      """,
      as: .ldif,
      fields: fields
    )
    #expect(seen.problems == [])
    let ada = #"""
      u|ada|<ou=Lumen,o=x|Ada Lund||ada@lumen.example||0|{"url": "https://lumen.example/ada", \#
      "mobile": "+1 555 0199", "office": "B 12", "address": "Pier 4\nLight$house", \#
      "manager": "bo", "given_name": "Ada", "family_name": "Lund", \#
      "other_emails": ["ada@home.example"], "employee_number": "007"}
      """#
    let lumen = #"d|ou=Lumen,o=x|<|Lumen||0|{"fax": "+1 555 0111"}"#
    #expect(seen.rows == [lumen, ada, "u|bo|<ou=Lumen,o=x|Bo||||0"])
    #expect(seen.warnings == ["ignored unsupported fields: secretary 1"])
  }

  @Test func `a column has the name, the label or a usual heading`() async throws {
    let seen = try await readList(
      """
      kind,id,parent_id,name,Cell Phone,LANGUAGES,Name as read,birthday,site,Work Phone,leads
      department,d,,Lumen,,,,,Pier 4,,
      user,ada,d,Ada, +1,de; fr;;en\\;x,eida,1985-04-12,,1,TRUE
      user,bo,d,Bo,none,,,12.4.1985,,2,

      """,
      as: .list,
      fields: fields
    )
    let ada = #"""
      u|ada|<d|Ada|||1|0|leads|{"mobile": " +1", "birthday": "1985-04-12", \#
      "languages": ["de", "fr", "en;x"], "phonetic_name": "eida"}
      """#
    let lumen = #"d|d|<|Lumen||0|{"site": "Pier 4"}"#
    #expect(seen.rows == [lumen, ada, "u|bo|<d|Bo|||2|0"])
    #expect(
      seen.problems == [
        "4: bo: mobile \"none\" is not a phone number: it has no digit",
        "4: bo: birthday \"12.4.1985\" is not a date of the form YYYY-MM-DD, or --MM-DD without a year",
      ]
    )
    #expect(!seen.warnings.contains { $0.contains("Work Phone") })
    #expect(seen.absent.fields[.user]?.contains("mobile") == false)
    #expect(seen.absent.fields[.user]?.contains("office") == true)
    #expect(seen.absent.fields[.department] == ["fax"])
  }

  @Test(arguments: ["Handy", "手机", "Téléphone portable", "mobilePhone", "Mobile No. [Optional]"])
  func `a column has a heading of any language`(_ heading: String) async throws {
    let seen = try await readList(
      """
      id,department_id,name,\(heading),Site
      ada,d,Ada,1,Pier 4

      """,
      as: .users,
      fields: fields
    )
    // A word for two fields is the likelier one; departments' own fields are not in a list of people.
    #expect(seen.rows == [#"u|ada|<d|Ada||||0|true|{"mobile": "1", "office": "Pier 4"}"#])
  }

  @Test func `JSON has them in an object or beside the others`() async throws {
    let seen = try await readList(
      #"""
      {"kind":"department","id":"d","name":"Lumen","fields":{"site":null,"pet":"cat"}}
      {"kind":"user","id":"ada","parent":"d","name":"Ada","leads":true,"mobile":"1",
        "fields":{"languages":["de","fr"],"note":"x"},"hobby":[{"a":1}]}
      {"kind":"user","id":"bo","parent":"d","name":"Bo","languages":"de","note":["x","y"]}
      """#,
      as: .json,
      fields: fields
    )
    let ada = #"u|ada|<d|Ada||||0|leads|{"note": "x", "mobile": "1", "languages": ["de", "fr"]}"#
    let bo = #"u|bo|<d|Bo||||0|{"languages": ["de"]}"#
    #expect(seen.rows == ["d|d|<|Lumen||0", ada, bo])
    #expect(seen.problems == ["4: bo: has 2 values of note, which takes one"])
    // The first of its kind.
    #expect(seen.warnings == ["1: the key \"fields.pet\" is unknown and is ignored"])
  }
}
