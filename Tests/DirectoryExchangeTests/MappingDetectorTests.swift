import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

/// A list with the columns that a program documents for its exports; its people are invented.
struct VendorList: Sendable, CustomTestStringConvertible {
  var vendor: String
  var text: String
  /// What is to be guessed, without reasons.
  var mapping: [String]
  /// The people and memberships that come of it.
  var people: [String]
  var testDescription: String { vendor }

  static let all = [
    VendorList(
      vendor: "Workday",
      text: """
        Active Workers,,,,,,,,
        Employee ID,Worker,Business Title,Supervisory Organization,Location,Email - Work,Phone - Work,\
        Hire Date,Worker's Manager
        10021,Ada Lund,Engineer,Optics,Oslo,ada@lumen.example,+47 22 00 01,04/03/2019,Bo Dahl (10022)
        10022,Bo Dahl,Head,Optics,Oslo,bo@lumen.example,+47 22 00 02,12/31/2018,

        """,
      mapping: [
        "headings=2", "id={Employee ID}", "name={Worker}", "department={Supervisory Organization}",
        "title={Business Title}", "email={Email - Work}", "phone={Phone - Work}",
        "office={Location}",
        "manager={Worker's Manager}", "joined={Hire Date}", "people=name", "dates=month first",
      ],
      people: [
        "u|10021|<Optics|Ada Lund|Engineer|ada@lumen.example|+47 22 00 01|0|true|"
          + #"{"joined": "2019-04-03", "office": "Oslo", "manager": "10022"}"#,
        "u|10022|<Optics|Bo Dahl|Head|bo@lumen.example|+47 22 00 02|0|true|"
          + #"{"joined": "2018-12-31", "office": "Oslo"}"#,
      ]
    ),
    VendorList(
      vendor: "SAP SuccessFactors",
      text: """
        STATUS,USERID,USERNAME,FIRSTNAME,LASTNAME,EMAIL,MANAGER,DEPARTMENT,DIVISION,LOCATION,TITLE
        Status,User ID,Username,First Name,Last Name,Email,Manager,Department,Division,Location,Title
        active,jroe,jroe,Jo,Roe,jo@lumen.example,mpaz,Lenses,Optics,Lyon,Grinder
        active,mpaz,mpaz,Mia,Paz,mia@lumen.example,NO_MANAGER,Lenses,Optics,Lyon,Head

        """,
      mapping: [
        "headings=2", "id={User ID}", "name={First Name} {Last Name}",
        "department={Division}/{Department}", "title={Title}", "email={Email}", "office={Location}",
        "manager={Manager}", "people=id", "left={Status}",
      ],
      people: [
        "u|jroe|<Optics/Lenses|Jo Roe|Grinder|jo@lumen.example||0|true|"
          + #"{"office": "Lyon", "manager": "mpaz"}"#,
        "u|mpaz|<Optics/Lenses|Mia Paz|Head|mia@lumen.example||0|true|"
          + #"{"office": "Lyon"}"#,
      ]
    ),
    VendorList(
      vendor: "SAP ERP, in German",
      text: """
        PersNr;Nachname;Vorname;Organisationseinheit;Planstelle;Kostenstelle;Eintritt;Geburtsdatum
        00001017;Groß;Änne;Vertrieb Süd;Beraterin;4711;01.04.2019;13.12.1980

        """,
      mapping: [
        "id={PersNr}", "name={Vorname} {Nachname}", "department={Organisationseinheit}",
        "title={Planstelle}", "cost_centre={Kostenstelle}", "birthday={Geburtsdatum}",
        "joined={Eintritt}",
      ],
      people: [
        "u|00001017|<Vertrieb Süd|Änne Groß|Beraterin|||0|true|"
          + #"{"joined": "2019-04-01", "birthday": "1980-12-13", "cost_centre": "4711"}"#
      ]
    ),
    VendorList(
      vendor: "BambooHR",
      text: """
        Employee #,First Name,Last Name,Job Title,Department,Division,Location,Work Phone,Mobile Phone,\
        Work Email,Reporting to,Hire Date,Employment Status
        7,Ada,Lund,Engineer,Mirrors,Optics,Oslo,555-0101,555-0102,ada@lumen.example,Bo Dahl,2019-04-03,\
        Full-Time
        8,Bo,Dahl,Head,,Optics,Oslo,555-0103,,bo@lumen.example,,2018-12-31,Full-Time

        """,
      mapping: [
        "id={Employee #}", "name={First Name} {Last Name}", "department={Division}/{Department}",
        "title={Job Title}", "email={Work Email}", "phone={Work Phone}", "mobile={Mobile Phone}",
        "office={Location}", "employment={Employment Status}", "manager={Reporting to}",
        "joined={Hire Date}", "people=name",
      ],
      people: [
        "u|7|<Optics/Mirrors|Ada Lund|Engineer|ada@lumen.example|555-0101|0|true|"
          + #"{"joined": "2019-04-03", "mobile": "555-0102", "office": "Oslo", "manager": "8", "employment": "Full-Time"}"#,
        "u|8|<Optics|Bo Dahl|Head|bo@lumen.example|555-0103|0|true|"
          + #"{"joined": "2018-12-31", "office": "Oslo", "employment": "Full-Time"}"#,
      ]
    ),
    VendorList(
      vendor: "Personio, in French",
      text: """
        Prénom;Nom;Adresse e-mail;Poste;Département;Équipe;Bureau;Supérieur;Date d'embauche
        Zoé;Bélanger;zoe@lumen.example;Opticienne;Optique;Miroirs;Lyon;leo@lumen.example;2019-04-03
        Léo;Noël;leo@lumen.example;Chef;Optique;;Lyon;;2018-12-31

        """,
      mapping: [
        "id={Adresse e-mail}", "name={Prénom} {Nom}", "department={Département}/{Équipe}",
        "title={Poste}", "email={Adresse e-mail}", "office={Bureau}", "manager={Supérieur}",
        "joined={Date d'embauche}", "people=email",
      ],
      people: [
        "u|zoe@lumen.example|<Optique/Miroirs|Zoé Bélanger|Opticienne|zoe@lumen.example||0|true|"
          + #"{"joined": "2019-04-03", "office": "Lyon", "manager": "leo@lumen.example"}"#,
        "u|leo@lumen.example|<Optique|Léo Noël|Chef|leo@lumen.example||0|true|"
          + #"{"joined": "2018-12-31", "office": "Lyon"}"#,
      ]
    ),
    VendorList(
      vendor: "a list in Spanish",
      text: """
        Nº de empleado|Nombre|Apellidos|Departamento|Cargo|Correo electrónico|Teléfono móvil
        31|Inés|Peña Ruiz|Óptica|Jefa|ines@lumen.example|+34 600 000 001

        """,
      mapping: [
        "id={Nº de empleado}", "name={Nombre} {Apellidos}", "department={Departamento}",
        "title={Cargo}", "email={Correo electrónico}", "mobile={Teléfono móvil}",
      ],
      people: [
        "u|31|<Óptica|Inés Peña Ruiz|Jefa|ines@lumen.example||0|true|"
          + #"{"mobile": "+34 600 000 001"}"#
      ]
    ),
    VendorList(
      vendor: "WeCom",
      text: """
        姓名,帐号,别名,职务,部门,性别,手机,座机,邮箱,直属上级
        张伟,zhangwei,,工程师,流明公司/研发部/后端组,男,13800000001,010-5550001,wei@lumen.example,王芳
        王芳,wangfang,,总监,流明公司/研发部;流明公司/产品部,女,13800000002,,fang@lumen.example,

        """,
      mapping: [
        "id={帐号}", "name={姓名}", "department={部门}", "levels=/", "several=;", "title={职务}",
        "email={邮箱}", "phone={座机}", "nickname={别名}", "mobile={手机}", "manager={直属上级}",
        "people=name",
      ],
      people: [
        "u|zhangwei|<流明公司/研发部/后端组|张伟|工程师|wei@lumen.example|010-5550001|0|true|"
          + #"{"mobile": "13800000001", "manager": "wangfang"}"#,
        "u|wangfang|<流明公司/研发部|王芳|总监|fang@lumen.example||0|true|{\"mobile\": \"13800000002\"}",
        "m|wangfang|<流明公司/产品部|总监|0",
      ]
    ),
    VendorList(
      vendor: "Feishu",
      text: """
        姓名\t手机号码\t工作邮箱\t部门\t工号\t职务\t工作城市\t入职时间\t人员类型
        李娜\t+8613800000003\tna@lumen.example\t流明公司/市场部\tF003\t经理\t上海\t2021/4/3\t正式

        """,
      mapping: [
        "id={工号}", "name={姓名}", "department={部门}", "levels=/", "title={职务}",
        "email={工作邮箱}", "mobile={手机号码}", "office={工作城市}", "employment={人员类型}",
        "joined={入职时间}",
      ],
      people: [
        "u|F003|<流明公司/市场部|李娜|经理|na@lumen.example||0|true|"
          + #"{"joined": "2021-04-03", "mobile": "+8613800000003", "office": "上海", "employment": "正式"}"#
      ]
    ),
    VendorList(
      vendor: "a list in Japanese",
      text: """
        社員番号,姓,名,所属部署,役職,メールアドレス,内線,入社年月日
        1001,田中,太郎,開発部,部長,taro@lumen.example,1001,2019年4月1日

        """,
      mapping: [
        "id={社員番号}", "name={姓}{名}", "department={所属部署}", "title={役職}",
        "email={メールアドレス}", "phone={内線}", "joined={入社年月日}",
      ],
      people: [
        "u|1001|<開発部|田中太郎|部長|taro@lumen.example|1001|0|true|{\"joined\": \"2019-04-01\"}"
      ]
    ),
  ]
}

@Suite("Guessing a mapping")
struct MappingGuessTests {
  @Test(arguments: VendorList.all)
  func `of lists as programs for personnel export them`(_ list: VendorList) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("list.csv")
      try write(list.text.utf8, to: path)
      var form = InputOptions()
      form.isPersonnel = true
      let file = try InputFile.readable(path.string, form)
      let guess = try MappingDetector(of: file).result
      #expect(guess.lines.map { "\($0.key)=\($0.value)" } == list.mapping)
      #expect(guess.lines.allSatisfy { !$0.reason.isEmpty && !$0.reason.contains("\n") })
      #expect(guess.gaps == [])
      let seen = try readList(
        file,
        as: .personnel,
        fields: guess.fields.map { Field(usual: $0, of: .user) },
        mapping: try PersonnelMapping(
          guess.lines.map { PersonnelMapping.Entry(key: $0.key, value: $0.value, place: "guess") }
        )
      )
      #expect(seen.rows.filter { !$0.hasPrefix("d") } == list.people)
      #expect(seen.problems == [])
    }
  }

  private func guess(_ text: String) async throws -> SuggestedMapping {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("list.csv")
      try write(text.utf8, to: path)
      return try MappingDetector(of: InputFile(path)).result
    }
  }

  @Test func `says what is missing and what is left out`() async throws {
    let guess = try await guess("Name,Email,Email,Salary\nAda,a@x,b@x,9\n")
    #expect(guess.lines.map(\.key) == ["name"])
    #expect(
      guess.gaps == [
        "the heading \"Email\" appears over several columns",
        "no column looks like an id that everybody has: add the key id",
        "no column looks like a department: add the key department",
      ]
    )
    #expect(guess.unused == ["\"Email\"", "\"Email\"", "\"Salary\""])
  }

  @Test func `of a number that not everybody has is none`() async throws {
    let guess = try await guess("Employee ID,Name,Email\n1,Ada,a@x\n,Bo,b@x\n")
    #expect(guess.lines.first?.key == "id" && guess.lines.first?.value == "{Email}")
    #expect(
      guess.gaps.first
        == "\"Employee ID\" is empty in 1 of the first 2 rows, and cannot be the id"
    )
  }

  /// Headings, a row or two, and what is to be guessed.
  private static let kinds: [(String, [String])] = [
    (
      "Employee ID,Name,Department\n1,Ann,HQ\n2,Bo,HQ\nEmployee ID,Name,Department\n3,Cy,HQ\n",
      ["id={Employee ID}", "name={Name}", "department={Department}"]
    ),
    (
      "Employee No,Person,Full name,Dept,Job\n1,x,Ann,Division,Manager\n2,y,Bo,Location,Manager\n",
      ["id={Employee No}", "name={Full name}", "department={Dept}", "title={Job}"]
    ),
    (
      "Employee ID,Name,Division,Department\n1,Ann,Ops/Tech,Lab\n2,Bo,Ops/Tech,Legal\n",
      ["id={Employee ID}", "name={Name}", "department={Division}/{Department}"]
    ),
    (
      "Employee ID,Name,Company,Department\n1,Ann,Lumen,Lumen>Lab\n2,Bo,Lumen,Lumen>Legal\n",
      ["id={Employee ID}", "name={Name}", "department={Department}", "levels=>"]
    ),
    (
      "id,displayName,surname,givenName,mail,department,jobTitle,telephoneNumber,mobilePhone\n"
        + "a,Ann Ox,Ox,Ann,ann@q.example,IT,Head,+49 1,+49 2\n",
      [
        "id={id}", "name={givenName} {surname}", "department={department}", "title={jobTitle}",
        "email={mail}", "phone={telephoneNumber}", "mobile={mobilePhone}",
      ]
    ),
    (
      "First Name [Required],Last Name [Required],Email Address [Required],Org Unit Path [Required]\n"
        + "Ann,Ox,ann@q.example,/Sales/North\n",
      [
        "id={Email Address [Required]}", "name={First Name [Required]} {Last Name [Required]}",
        "department={Org Unit Path [Required]}", "levels=/", "email={Email Address [Required]}",
      ]
    ),
    (
      "No.,社員番号,氏名,本部,部,課,役職\n1,17,山田 太郎,営業本部,第一営業部,一課,課長\n",
      ["id={社員番号}", "name={氏名}", "department={本部}/{部}/{課}", "title={役職}"]
    ),
  ]

  @Test func `knows headings as programs write them, and repeated ones`() async throws {
    for (text, lines) in Self.kinds {
      let guess = try await guess(text)
      #expect(guess.lines.map { "\($0.key)=\($0.value)" } == lines)
      #expect(guess.gaps == [])
    }
  }

  @Test func `tells a row that cannot be read, and names that are not whole`() async throws {
    let guess = try await guess("Employee ID,Surname,Dept\n1,Ox,A\n2,\"Ek\"x,A\n3,Lo,A\n")
    #expect(
      guess.gaps == [
        "line 3: text follows a closing quote; double the quotes that belong to the text (RFC 4180)",
        "\"Surname\" contains only family names",
      ]
    )
  }

  @Test func `without any known heading is refused`() async throws {
    await #expect(throws: DirectoryError.self) { _ = try await self.guess("a,b\n1,2\n") }
  }
}
