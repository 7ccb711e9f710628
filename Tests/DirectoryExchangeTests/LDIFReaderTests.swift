import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

@Suite("LDIF read")
struct LDIFReaderTests {
  private static let small = """
    version: 1
    # who is where

    dn: uid=u1,ou=Optics,o=Lumen
    objectClass: inetOrgPerson
    uid: u1
    cn;lang-fr: Adèle
    cn: Ada Lund
    sn: Lund
    title:: SMOpYWQ=
    mail: ada@lumen.example
    telephoneNumber: +1 555 01
     00
    jpegPhoto:: not base64 at all!
    userCertificate:< file:///etc/passwd

    dn: o=Lumen
    objectClass: organization
    o: Lumen
    description: Makers
      of light

    dn: ou=Optics,  O=lumen
    objectClass: organizationalUnit
    ou: Optics


    """

  @Test func `people and departments come in any order, folded, tagged and in base64`()
    async throws
  {
    for text in [Self.small, Self.small.replacing("\n", with: "\r\n")] {
      let seen = try await readList(text, as: .ldif)
      #expect(
        seen.rows == [
          "u|u1|<ou=Optics,  O=lumen|Ada Lund|Héad|ada@lumen.example|+1 555 0100|0",
          "d|o=Lumen|<|Lumen|Makers of light|0", "d|ou=Optics,  O=lumen|<o=Lumen|Optics||0",
        ]
      )
      #expect(seen.problems == [] && seen.isComplete)
      #expect(
        seen.warnings == [
          "ignored unsupported fields: jpegphoto 1, usercertificate 1"
        ]
      )
    }
  }

  @Test func `what servers write comes in, and what is left out is told`() async throws {
    let text = """
      dn: O=Lumen
      changetype: Add
      objectClass: organization
      o: Lumen
      entryCSN: 20240101000000.000000Z#000000#000#000000

      dn: cn="Holm, Mira" ; o = lumen
      objectClass: nsPerson
      uid: mira
      cn: Mira Holm
      mail: mira@lumen.example
      mail: m@lumen.example
      mobile: 17
      homePhone: 18
      l: Oslo
      entryUUID: 11111111-aaaa-103f-8c1d-000000000001
      jpegPhoto:: /9j/4AAQ
       SkZJRg

      dn: cn=staff,o=Lumen
      objectClass: top
      objectClass: posixGroup
      memberUid: mira
      """
    let seen = try await readList(text, as: .ldif)
    #expect(seen.problems == [])
    #expect(
      seen.rows == ["d|O=Lumen|<|Lumen||0", "u|mira|<O=Lumen|Mira Holm||mira@lumen.example|17|0"]
    )
    #expect(
      seen.warnings == [
        "left out entries that are neither departments nor people: 1 (posixGroup 1)",
        "ignored unsupported fields: additional homephone 1, additional mail 1, "
          + "jpegphoto 1, l 1",
      ]
    )
  }

  @Test func `names longer than an id stand for it by their digest`() async throws {
    let unit = "ou=" + String(repeating: "Ressourcenplanung ", count: 20)
    let text = """
      dn: \(unit)
      objectClass: organizationalUnit
      ou: Plan

      dn: cn=Mira,\(unit)
      objectClass: person
      cn: Mira
      """
    let seen = try await readList(text, as: .ldif)
    let ids = seen.rows.compactMap { $0.split(separator: "|")[at: 1] }
    try #require(ids.count == 2, "\(seen)")
    #expect(seen.problems == [] && ids.allSatisfy { $0.hasPrefix("sha256:") && $0.count == 71 })
    #expect(seen.rows[at: 1]?.split(separator: "|")[at: 2] == "<\(ids[0])" && ids[0] != ids[1])
  }

  @Test func `a real directory comes in whole`() async throws {
    let path = try TestData.directory(named: "files").appending("openldap-test.ldif")
    let seen = try readList(InputFile(path), as: .ldif)
    #expect(seen.problems == [] && seen.isComplete)
    #expect(seen.rows.count { $0.hasPrefix("d|") } == 8)
    #expect(seen.rows.count { $0.hasPrefix("u|") } == 11)
    let root = "dc=example,dc=com"
    #expect(seen.rows.contains("d|\(root)|<|Example, Inc.|The Example, Inc. at Anytown|0"))
    #expect(
      seen.rows.contains(
        "u|bjensen|<ou=Information Technology Division,ou=People,\(root)|Barbara Jensen|"
          + "Mythical Manager, Research Systems|bjensen@mailgw.example.com|+1 313 555 9022|0"
      )
    )
    #expect(seen.rows.contains("m|bjorn|<cn=ITD Staff,ou=Groups,\(root)||0"))
    #expect(seen.rows.contains("u|cn=Manager,\(root)|<\(root)|Manager||||0"))
    #expect(seen.rows.count { $0.hasPrefix("m|") } == 11 + 7 + 4)
  }

  @Test func `what export writes comes back, roles and all`() async throws {
    let text = """
      version: 1

      dn: o=staffbook
      objectClass: top
      objectClass: organization
      o: staffbook

      dn: ou=Lumen,o=staffbook
      objectClass: organizationalUnit
      objectClass: uidObject
      ou: Lumen
      uid: lum

      dn: uid=u1,ou=Lumen,o=staffbook
      objectClass: inetOrgPerson
      uid: u1
      cn: Ada
      sn: Ada
      departmentNumber: opt

      dn: ou=6f2b,ou=Lumen,o=staffbook
      objectClass: organizationalUnit
      objectClass: uidObject
      ou: Optics
      ou: 6f2b
      uid: opt

      dn: uid=u1,ou=6f2b,ou=Lumen,o=staffbook
      objectClass: organizationalRole
      objectClass: uidObject
      uid: u1
      cn: Guest
      roleOccupant: uid=u1,ou=Lumen,o=staffbook

      dn: uid=u2,ou=6f2b,ou=Lumen,o=staffbook
      objectClass: organizationalRole
      uid: u2
      cn: Ada
      roleOccupant: uid=nobody,ou=Lumen,o=staffbook
      """
    let seen = try await readList(text, as: .ldif)
    #expect(
      seen.rows == ["d|lum|<|Lumen||0", "u|u1|<opt|Ada||||0", "d|opt|<lum|Optics||0"]
    )
    #expect(
      seen.warnings == [
        "left out members of groups or roles who are not in this file: 1",
        "left out \"o=staffbook\", which only contains the departments",
      ]
    )
  }

  @Test func `other things are left out, and counted`() async throws {
    let text = """
      dn: ou=X
      objectClass: organizationalUnit

      dn: cn=printer,ou=X
      objectClass: device

      dn: cn=pc,ou=X
      objectClass: user
      objectClass: computer

      # search result
      search: 2
      result: 0 Success
      """
    let seen = try await readList(text, as: .ldif)
    #expect(seen.rows == ["d|ou=X|<|X||0"])
    #expect(
      seen.warnings == [
        "left out entries that are neither departments nor people: 2 (computer 1, device 1)"
      ]
    )
    #expect(seen.isComplete)
  }

  @Test func `a person outside every department has to be told where to go`() async throws {
    let text = "dn: uid=u1,dc=x\nobjectClass: person\nuid: u1\ncn: Ada\n"
    let seen = try await readList(text, as: .ldif)
    #expect(!seen.isComplete)
    #expect(
      seen.problems == [
        "1: \"uid=u1,dc=x\": no entry above this person is a department in the file; name one "
          + "with <home>"
      ]
    )
    #expect(try await readList(text, as: .ldif, home: "lum").rows == ["u|u1|<lum|Ada||||0"])
  }

  @Test func `what is no LDIF is refused with its line, and the rest is read`() async throws {
    let cases: [(String, String)] = [
      ("cn: Ada\nsn: Lund\n", "1: an entry must begin with its dn (RFC 2849), not with \"cn\""),
      (
        "dn: cn=x\nchangetype: modify\nreplace: mail\nmail: x\n-\n",
        "2: is a change record (changetype \"modify\"); only entries and additions can be read"
      ),
      ("dn: cn=x\nhello\n", "2: has no colon: \"hello\""),
      ("dn: cn=x\ncn:: *\n", "2: the value of \"cn\" is not base64 (RFC 4648)"),
      (
        "dn: cn=x\nmail:< file:///etc/passwd\n",
        "2: the value of mail is at a URL (:<), which is not fetched"
      ),
      (
        "dn: cn=x\ncn:: /w==\n",
        "2: cn is not UTF-8 at byte 1 of the value; if the file is in another encoding, name it "
          + "with <encoding>"
      ),
      (
        "dn: no name\nobjectClass: person\n",
        "1: \"no name\": the DN of the entry is not valid (RFC 4514)"
      ),
      ("version: 2\ndn: ou=y\n", "1: is not version 1 of LDIF"),
      (
        "dn: cn=x\ncn: x\n \ndn: cn=y\n",
        "4: has a second dn in one entry; entries must be separated by empty lines"
      ),
      (
        "dn: ou=x\nou: X\n",
        "4: \"ou=X\": an earlier entry has the same DN, apart from case and blanks"
      ),
      (
        "dn: \(Array(repeating: "ou=a", count: 100_000).joined(separator: ","))\nou: a\n",
        "1: \"ou=a,ou=a,ou=a,ou=a,ou=a,ou=a,ou=a,ou=a,…\": the DN of the entry is longer than "
          + "8192 bytes"
      ),
    ]
    for (text, problem) in cases {
      let seen = try await readList(
        text + "\ndn: ou=X\nobjectClass: organizationalUnit\nou: X\n",
        as: .ldif
      )
      #expect(seen.problems == [problem])
      let expected = text.hasPrefix("dn: ou=x") ? "d|ou=x|<|X||0" : "d|ou=X|<|X||0"
      #expect(seen.rows == [expected], "\(text.prefix(80))")
      #expect(!seen.isComplete)
    }
    for text in ["", "version: 1\n", "# nothing\nsearch: 2\nresult: 0 Success\n"] {
      #expect(try await readList(text, as: .ldif).problems == ["has no entry"])
    }
  }
}
