import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

/// Eight invented people of a language, and the code pages that their lists are written in.
private struct CodePageCase: Sendable {
  let language: String
  /// As Python has them.
  let encodings: [String]
  let names: [String]

  init(_ language: String, _ encodings: String, _ names: String) {
    self.language = language
    self.encodings = encodings.split(separator: " ").map(String.init)
    self.names = names.split(separator: "|").map(String.init)
  }

  private static let western = "cp1252 iso8859-15 cp850 mac_roman"
  private static let central = "cp1250 iso8859-2 cp852 mac_latin2"

  static let all = [
    CodePageCase(
      "German",
      western,
      "Jörg Möllmann|Käthe Grüneberg|Uwe Straßburger|Änne Völz|Ida Kühnast|Rüdiger Bötel|Eva Lang|Jan Süßmilch"
    ),
    CodePageCase(
      "French",
      western,
      "Hélène Crépin|Benoît Lhôte|Zoë Maçonnais|Rémi Forêtier|Anaïs Délivré|Gaëlle Rouvière|Luc Petit|Éloi Bérangier"
    ),
    CodePageCase(
      "Spanish",
      western,
      "Íñigo Peñalba|Begoña Zorrilla|Raúl Castañares|Lucía Ordóñez|Óscar Muñiz|Ana Gil|Andrés Cigüeña|Belén Larrañaga"
    ),
    CodePageCase(
      "Portuguese",
      western,
      "João Falcão|Inês Brandão|Conceição Araújo|Tomé Guimarães|Sebastião Leitão|Lúcia Simões|Rui Gama|Estêvão Galvão"
    ),
    CodePageCase(
      "Italian",
      western,
      "Niccolò Bardi|Donà Veltri|Noè Cantù|Mosè Forlì|Ada Conti|Giosuè Perrò|Nicolò Viganò|Elia Barabà"
    ),
    CodePageCase(
      "Dutch",
      "cp1252 iso8859-15",
      "Daniël Hoekstra|Zoë van Rooij|Noëlle de Wit|Loïs Beïntema|Joël Vos|Anaïs Smit|Piet Bos|René Coöperman"
    ),
    CodePageCase(
      "Danish",
      western,
      "Søren Bækgaard|Åse Nørlund|Jørn Kjærsgård|Øyvind Grønning|Bjørg Højrup|Pål Tværmose|Ida Holm|Kåre Sømand"
    ),
    CodePageCase(
      "Swedish",
      western,
      "Åsa Björkman|Göran Ekström|Märta Sjögren|Örjan Håkansson|Pär Åslund|Sören Ängkvist|Eva Berg|Håkan Öberg"
    ),
    CodePageCase(
      "Finnish",
      western,
      "Väinö Särkelä|Päivi Kärnä|Yrjö Hämäläinen|Töyry Mäkäräinen|Äijö Pöyry|Seppo Jääskö|Aino Laine|Kyösti Nyrölä"
    ),
    CodePageCase(
      "Icelandic",
      "cp1252 iso8859-1 mac_iceland",
      "Þórður Sæmundsson|Guðrún Ýr Jónsdóttir|Sæþór Ægisson|Hafþór Bárðarson|Sigríður Öldudóttir|Örn Þráinsson|Eiður Hlöðversson|Álfheiður Ýmisdóttir"
    ),
    CodePageCase(
      "Polish",
      central,
      "Łucja Śliwka|Żaneta Źródłowska|Paweł Ćwiertnia|Małgorzata Wąsik|Jędrzej Sąsiedzki|Grażyna Świętek|Błażej Żabiński|Jan Gęślak"
    ),
    CodePageCase(
      "Czech",
      central,
      "Jiří Dvořáček|Růžena Křížková|Zdeněk Šťáva|Květa Němečková|Ondřej Žďárský|Šárka Vrbová|Tomáš Bílek|Věra Kuřátková"
    ),
    CodePageCase(
      "Slovak",
      central,
      "Ľubomír Ďurovič|Žofia Kôprivová|Štefan Ťapák|Ľudmila Hŕbková|Ondrej Baláž|Mária Šimková|Ján Kňaz|Blažej Mlynárčik"
    ),
    CodePageCase(
      "Hungarian",
      central,
      "Győző Szűcsi|Ágnes Fülöpné|Enikő Vöröss|Zsófia Kőszegi|Ödön Hegedűs|Dénes Tóthfalvi|Jenő Bükki|Éva Kis"
    ),
    CodePageCase(
      "Slovenian",
      central,
      "Žiga Novinec|Špela Kovačeva|Matjaž Zupanek|Urša Črnjak|Jože Potočan|Blaž Šuštaršič|Tjaša Žagarjeva|Anže Mrčun"
    ),
    CodePageCase(
      "Croatian",
      "cp1250 iso8859-2 cp852 mac_croatian",
      "Željko Đurinić|Živana Šćepić|Krešimir Kovačina|Ivana Babačić|Siniša Perčin|Zdravka Čolak|Petar Šimun|Anđela Žužić"
    ),
    CodePageCase(
      "Romanian on a Mac",
      "mac_romanian",
      "Răzvan Bălănescu|Ionuț Țărnă|Șerban Grădișteanu|Ana Pârvan"
    ),
    CodePageCase("one Romanian on a Mac", "mac_romanian", "Ana Neniță|Ion Popa"),
    CodePageCase(
      "Vietnamese",
      "cp1258",
      "Nguyễn Thị Hạnh|Trần Quốc Dũng|Phạm Ngọc Ánh|Đỗ Văn Hùng|Lê Thu Hằng|Vũ Đức Tài|Bùi Mỹ Lệ|Hồ Xuân Ái"
    ),
    CodePageCase(
      "Romanian",
      "cp1250 iso8859-2 cp852",
      "Răzvan Bălănescu|Mădălina Străinu|Cătălin Vîlceanu|Ionuţ Ţărnă|Şerban Grădişteanu|Ana Pârvan|Ştefan Mănăilă|Ilinca Cîmpeanu"
    ),
    CodePageCase(
      "Lithuanian",
      "cp1257 iso8859-13 cp775",
      "Živilė Baltrūnaitė|Šarūnas Gėgžna|Kęstutis Žąsinas|Jūratė Šimėnienė|Aušra Kučinskaitė|Ugnė Vėjūnė|Žygimantas Bičiūnas|Rūta Lakštė"
    ),
    CodePageCase(
      "Latvian",
      "cp1257 iso8859-13 cp775",
      "Jānis Bērzkalns|Ģirts Kļaviņš|Mārtiņš Ķeniņš|Līga Ozoliņa|Šarlote Žīgure|Kārlis Vēciņš|Zigrīda Ābele|Pēteris Ūsiņš"
    ),
    CodePageCase(
      "Estonian",
      "cp1257 cp1252 iso8859-15 cp775",
      "Tõnu Käspert|Ülle Jõesaar|Õie Põldmaa|Märt Küünal|Jüri Lõoke|Tõnis Väärsi|Külli Öövel|Ants Rõõm"
    ),
    CodePageCase(
      "Turkish",
      "cp1254 iso8859-9 cp857 mac_turkish",
      "Ayşegül Yıldızoğlu|İbrahim Çağlayan|Şükrü Işıkçı|Gökçe Ağaoğlu|Özlem Kılıçer|Uğur Şahiner|Barış Öğüt|Işıl Güneşli"
    ),
    CodePageCase(
      "Russian",
      "cp1251 koi8_r cp866 iso8859-5 mac_cyrillic",
      "Иван Щукин|Мария Ёлкина|Пётр Журавлёв|Юлия Цветкова|Ольга Быстрова|Фёдор Хлебников|Эмма Шишкина|Глеб Подъёмов"
    ),
    CodePageCase(
      "Ukrainian",
      "cp1251 koi8_u",
      "Ганна Їжакевич|Євген Ткачівський|Олексій Ґедзь|Ірина Щербань|Юрій Журба|Любов Цілинко|Микола В'юн|Зоя Єрмоленко"
    ),
    CodePageCase(
      "Bulgarian",
      "cp1251 iso8859-5 mac_cyrillic",
      "Ангел Щърбанов|Цветана Жечева|Георги Ямболски|Юлия Чакърова|Бойко Ъглов|Румяна Хаджийска|Пламен Дъбов|Елица Шопова"
    ),
    CodePageCase(
      "Macedonian",
      "cp1251 iso8859-5",
      "Ѓорѓи Љубески|Снежана Ќосева|Љупчо Џамбаски|Њего Цветковски|Ѕвездана Илиева|Јован Шутиноски|Ќирил Ѓуров|Мирјана Жежова"
    ),
    CodePageCase(
      "Greek",
      "cp1253 iso8859-7 cp737",
      "Ελένη Ξανθοπούλου|Γιώργος Ψαράς|Άννα Ζωγράφου|Δημήτρης Χαλκιάς|Ιωάννα Θεοδώρου|Κώστας Φωκάς|Ευαγγελία Ίσαρη|Πέτρος Αηδονίδης"
    ),
    CodePageCase(
      "Hebrew",
      "cp1255 iso8859-8 cp862",
      "דוד אברמסון|רחל גולדמן|יעל שמשון|משה כרמלי|נועה פרידמן|איתן צוקרמן|חנה לביא|עמית טננבאום"
    ),
    CodePageCase(
      "Arabic",
      "cp1256 iso8859-6 cp720",
      "أحمد الخياط|فاطمة النجار|خالد بن سعيد|مريم الحداد|يوسف القاضي|ليلى الصباغ|عمر الزيات|هدى العطار"
    ),
    CodePageCase(
      "Thai",
      "cp874",
      "สมชาย ใจดีงาม|กมลวรรณ ศรีทอง|ณัฐพล แสงจันทร์|พิมพ์ใจ วงศ์สุข|ธนา บุญมาก|อรทัย เพชรดี|วิชัย ทองคำ|สุดา รุ่งเรือง"
    ),
    CodePageCase("Simplified Chinese", "gb2312 gb18030", "王晓燕|李建平|欧阳文|张志远|刘丽华|陈国栋|周敏|赵雅琴"),
    CodePageCase("Traditional Chinese", "big5", "陳怡君|林志豪|黃淑芬|張雅婷|蔡宗翰|鄭美玲|許家瑋|吳佩珊"),
    CodePageCase("Japanese", "cp932 euc_jp", "田中 健一|佐藤 花子|鈴木 さくら|高橋 ケンジ|渡辺 由美子|小林 大輔|伊藤 真理|山本 翔太"),
    CodePageCase("Korean", "cp949", "김민수|이서연|박지훈|최은영|정현우|강수진|조영호|윤하은"),
  ]
}

@Suite("Lists in code pages")
struct CodePageTests {
  /// Python encodes, since nothing here does.
  private static let script = """
    import sys, unicodedata
    folder = sys.argv[1]
    tones = '\\u0300\\u0301\\u0303\\u0309\\u0323'
    def parted(letter):
        # windows-1258 has Vietnamese tones as marks.
        marks = [mark for mark in unicodedata.normalize('NFD', letter) if mark in tones]
        rest = [mark for mark in unicodedata.normalize('NFD', letter) if mark not in tones]
        return unicodedata.normalize('NFC', ''.join(rest)) + ''.join(marks)
    for line in open(folder + '/cases', encoding='utf-8'):
        name, encoding, *names = line.rstrip('\\n').split('\\t')
        if encoding == 'cp1258':
            names = [''.join(map(parted, person)) for person in names]
        rows = ['Nr;Name;Team'] + [f'{n};{person};T' for n, person in enumerate(names, 1)]
        open(f'{folder}/{name}', 'w', encoding=encoding, newline='').write('\\r\\n'.join(rows) + '\\r\\n')
    """

  @Test func `of eight people are read as they are meant`() async throws {
    try await withTemporaryDirectory { folder in
      let cases = CodePageCase.all.flatMap { item in item.encodings.map { (item, $0) } }
      let lines = cases.enumerated().map { place, item in
        (["\(place).csv", item.1] + item.0.names).joined(separator: "\t")
      }
      try write(Array(lines.joined(separator: "\n").utf8), to: folder.appending("cases"))
      let made = try await runProgram("/usr/bin/python3", ["-c", Self.script, folder.string])
      try #require(made.status == 0, "\(made)")
      for (place, item) in cases.enumerated() {
        let label = "\(item.0.language) in \(item.1)"
        do {
          let names = try names(in: folder.appending("\(place).csv"))
          #expect(
            names.map { Array($0.utf8) } == item.0.names.map { Array($0.utf8) },
            "\(label): \(names)"
          )
        } catch {
          Issue.record("\(label): \(error)")
        }
      }
    }
  }

  @Test func `that users have are read as they are meant, or refused with names`() throws {
    let folder = try TestData.directory(named: "reported").appending("encodings")
    let right = try text(of: folder.appending("right.tsv")).split(separator: "\n").dropFirst()
    for line in right {
      let fields = line.split(separator: "\t")
      let expected = fields[1].split(separator: "|").map(String.init)
      #expect(try names(in: folder.appending(String(fields[0]))) == expected)
    }
    let lists = [
      ("sl-cp1250", "sl"), ("hr-cp1250", "hr"), ("de-mac-roman", "de"), ("pl-iso8859-2", "pl"),
    ]
    for (name, language) in lists {
      let expected = try names(in: folder.appending("\(language)-64.utf8.csv"))
      #expect(expected.count == 64)
      #expect(try names(in: folder.appending("\(name)-64.csv")) == expected)
      #expect(try names(in: folder.appending("\(name)-64-own-headings.csv")) == expected)
    }
  }

  @Test func `are refused where two encodings yield names, and read as the user chooses`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      // Ana Perè in windows-1252, Ana Perč in windows-1250.
      let path = folder.appending("list.csv")
      let list = Array("Nr;Name;Team\r\n1;Ana Per".utf8) + [0xE8] + Array(";T\r\n".utf8)
      try write(list, to: path)
      var form = InputOptions()
      form.isPersonnel = true
      let error = #expect(throws: DirectoryError.self) {
        try InputFile.readable(path.string, form)
      }
      #expect(error?.kind == .badData)
      #expect(
        error?.message.hasPrefix("cannot read \(path): its encoding may be windows-125") == true
      )
      #expect(error?.advice?.description.contains("as in <encoding> windows-125") == true)
      let details = try #require(error?.details)
      #expect(details.contains("windows-1250: \"Ana Perč\""), "\(details)")
      #expect(details.contains("windows-1252: \"Ana Perè\""), "\(details)")
      form.chooseEncoding = { question in
        question.readings.first { $0.examples == ["\"Ana Perč\""] }?.encoding ?? ""
      }
      let file = try InputFile.readable(path.string, form)
      #expect(file.traits.chosenEncoding == "windows-1250")
      #expect(file.traits.notes == ["windows-1250", "separated by semicolons"])
      #expect(try names(in: path, form) == ["Ana Perč"])
    }
  }

  @Test func `are refused where no encoding yields words`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("list.csv")
      let word: [UInt8] = [0x81, 0xFF, 0x8D, 0xFE, 0x90, 0xFF, 0x9D]
      try write(Array("Nr;Name;Team\r\n1;".utf8) + word + Array(";T\r\n".utf8), to: path)
      var form = InputOptions()
      form.isPersonnel = true
      let error = #expect(throws: DirectoryError.self) {
        try InputFile.readable(path.string, form)
      }
      #expect(
        error?.message
          == "cannot read \(path): it is not UTF-8, and no other encoding makes words of it"
      )
      #expect(
        error?.advice?.description
          == "save it as UTF-8, or name its encoding with <encoding>"
      )
    }
  }

  @Test func `may be vCards, LDIF and JSON`() async throws {
    let texts = [
      ("x.vcf", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:#\r\nEND:VCARD\r\n", InputFormat.vCard),
      ("x.ldif", "dn: cn=1,o=x\ncn: #\n", .ldif), ("x.json", "[{\"name\": \"#\"}]", .json),
    ]
    // Żaneta Źródłowska in ISO 8859-2.
    let name: [UInt8] =
      [0xAF] + Array("aneta ".utf8) + [0xAC, 0x72, 0xF3, 0x64, 0xB3] + Array("owska".utf8)
    try await withTemporaryDirectory { folder in
      for (file, text, format) in texts {
        let path = folder.appending(file)
        let halves = text.utf8.split(separator: UInt8(ascii: "#"))
        try write(Array(halves[0]) + name + Array(halves[1]), to: path)
        let set = try InputSet([path.string])
        #expect(set.members.map(\.format) == [format])
        let opened = try set.members[0].open()
        let read = try withExtendedLifetime(opened) { try self.text(of: opened.descriptor) }
        #expect(read == text.replacing("#", with: "Żaneta Źródłowska"), "\(file)")
      }
      // A card says itself what its values are in.
      let path = folder.appending("own.vcf")
      let card =
        Array("BEGIN:VCARD\nVERSION:2.1\nFN;charset=ISO-8859-2:".utf8) + name
        + Array("\nEND:VCARD\n".utf8)
      try write(card, to: path)
      #expect(try InputFile.readable(path.string).traits.notes == [])
    }
  }

  @Test func `in UTF-16 need no mark, whatever their characters`() async throws {
    let lists = [
      "Nr;Name;Team\r\n1;Āris Ādams;T\r\n2;Īva Ūdre;T\r\n", "姓名;开发部\r\n言一;最需\r\n王伟;开发部\r\n",
      "Имя;Отдел\r\nИван;Продажи\r\n", "名前\t部署\n一郎\t開発部\n",
    ]
    try await withTemporaryDirectory { folder in
      for list in lists {
        for isLittle in [true, false] {
          let path = folder.appending("wide.csv")
          let units = list.utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return isLittle ? bytes : bytes.reversed()
          }
          try write(units, to: path)
          var form = InputOptions()
          form.isPersonnel = true
          let file = try InputFile.readable(path.string, form)
          #expect(file.traits.notes.first == (isLittle ? "UTF-16LE" : "UTF-16BE"), "\(list)")
          #expect(try text(of: file.descriptor) == list)
        }
      }
    }
  }

  @Test func `of seven bits are read as what they announce`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("list.csv")
      let name: [UInt8] = [0x1B, 0x24, 0x42, 0x45, 0x44, 0x43, 0x66, 0x1B, 0x28, 0x42]
      try write(Array("Nr;Name\n1;".utf8) + name + [0x0A], to: path)
      #expect(try names(in: path) == ["田中"])
      try write("Nr;Name\n1;~{MuN0~}\n".utf8, to: path)
      #expect(try InputFile.readable(path.string).traits.notes.first == "HZ")
      try write("Nr;Name\n1;a ~{b\n".utf8, to: path)
      #expect(try names(in: path) == ["a ~{b"])
    }
  }

  /// One character far behind decides, and lines may have no end.
  @Test func `are judged by all of their characters`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("list.csv")
      let plain = (1...60_000).map { "\($0);Ada Lund;T\n" }.joined()
      let german =
        Array("0;J".utf8) + [0xFC] + Array("rgen M".utf8) + [0xFC] + Array("ller;T\n".utf8)
      let polish =
        Array("0;".utf8) + [0xA3] + Array("ukasz Paw".utf8) + [0xB3] + Array("owicz;T\n".utf8)
      let head = Array("Nr;Name;Team\n".utf8)
      let germans = Array((0..<5_000).map { _ in german }.joined())
      try write(head + germans + Array(plain.utf8) + polish, to: path)
      let file = try InputFile.readable(path.string)
      #expect(["windows-1250", "ISO-8859-2"].contains(file.traits.notes.first ?? ""))
      try write([UInt8](repeating: 0xE9, count: 4 << 20), to: path)
      #expect(throws: Never.self) { try InputFile.readable(path.string) }
    }
  }

  private func text(of path: FilePath) throws -> String {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter { try text(of: file) }
  }

  private func text(of file: FileDescriptor) throws -> String {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    try file.seek(offset: 0, from: .start)
    while case let count = try bytes.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0
    {
      all += bytes[..<count]
    }
    return try #require(String(validating: all, as: UTF8.self))
  }

  /// The second column, below the headings.
  private func names(in path: FilePath, _ form: InputOptions? = nil) throws -> [String] {
    var form = form ?? InputOptions()
    form.isPersonnel = true
    let file = try InputFile.readable(path.string, form)
    let list = try withExtendedLifetime(file) { try self.text(of: file.descriptor) }
    return list.split { $0.isNewline }.dropFirst().map { String($0.split(separator: ";")[1]) }
  }
}
