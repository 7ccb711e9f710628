import SystemPackage
import TestSupport
import Testing

@Suite("Exports that others read")
struct ExportReaderTests {
  /// Every format of the hostile company against its rows as JSON, as another's parsers see them.
  @Test func `every reader finds every row and every value`() async throws {
    try await withHostileBook { book, folder in
      for name in ["a.json", "a.jsonl", "a.csv", "a.tsv", "a.xlsx"] {
        try await book.lines("export", "--all", "-o", folder.appending(name).string)
      }
      let script = """
        import csv, json, openpyxl, os, sys
        from openpyxl.utils.escape import unescape
        os.chdir(sys.argv[1])
        rows = json.load(open('a.json', encoding='utf8'))
        assert rows == [json.loads(line) for line in open('a.jsonl', encoding='utf8')]
        keys = ['id', 'name', 'title', 'email', 'phone', 'description']
        wanted = [[row.get(key, '') for key in keys] for row in rows]
        flat = csv.DictReader(open('a.csv', newline='', encoding='utf8'), strict=True)
        assert [[row[key] for key in keys] for row in flat] == wanted
        signs = {'t': '\\t', 'n': '\\n', 'r': '\\r', '\\\\': '\\\\'}
        def plain(text):
            parts = iter(text)
            return ''.join(signs[next(parts)] if c == '\\\\' else c for c in parts)
        lines = open('a.tsv', newline='', encoding='utf8').read().split('\\n')
        assert lines.pop() == ''
        table = [[plain(value) for value in line.split('\\t')] for line in lines]
        places = [table[0].index(key) for key in keys]
        assert [[row[place] for place in places] for row in table[1:]] == wanted
        sheet = openpyxl.load_workbook('a.xlsx').worksheets[0]
        columns = [6, 0, 2, 3, 4, 8]
        cells = list(sheet.iter_rows(min_row=2))
        assert all(cell.data_type in 'sn' for row in cells for cell in row)
        assert [[unescape(row[c].value or '') for c in columns] for row in cells] == wanted
        print(len(rows))
        """
      let count = try await ExportReaders.python(script, folder.string)
      #expect(count.first.flatMap { Int($0) } ?? 0 > 3 * hostileTexts.count)
      #expect(
        try await ExportReaders.lines("jq", ["-s", "length", folder.appending("a.jsonl").string])
          == count
      )
    }
  }

  @Test func `a spreadsheet runs nothing and changes nothing`() async throws {
    try await withHostileBook { book, folder in
      let path = folder.appending("excel.csv").string
      try await book.lines("export", "--all", "--excel", "-o", path)
      let script = """
        import csv, io, re, sys
        data = open(sys.argv[1], 'rb').read()
        assert data.startswith(b'\\xef\\xbb\\xbf')
        for row in csv.reader(io.StringIO(data.decode('utf-8-sig'), newline='')):
            for cell in row:
                literal = re.fullmatch(r'="[0-9A-Za-z+().,:/ %-]+"', cell)
                assert literal or cell[:1] not in tuple('=+@\\t\\r＝＋－＠'), cell
                assert cell in ('-',) or not cell.startswith('-') or re.fullmatch(r'-\\d+', cell), cell
        print('="000123"' in data.decode().replace('""', '"'))
        """
      #expect(try await ExportReaders.python(script, path) == ["True"])
    }
  }

  @Test(arguments: ["4.0", "3.0"])
  func `vCards are read, one for each record`(version: String) async throws {
    try await withHostileBook { book, folder in
      let card = folder.appending("a.vcf").string
      try await book.lines("export", "--all", "--exact", "--vcard-version", version, "-o", card)
      try await book.lines("export", "--all", "-o", folder.appending("a.json").string)
      let script = """
        import json, os, re, sys, vobject
        from urllib.parse import unquote
        os.chdir(sys.argv[1])
        rows = json.load(open('a.json', encoding='utf8'))
        data = open('a.vcf', 'rb').read()
        assert all(len(line) <= 75 for line in data.split(b'\\r\\n'))
        assert not re.search(rb'[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]|(?<!\\r)\\n', data)
        cards = list(vobject.readComponents(data.decode()))
        records = {(row['kind'], row['id']): row for row in rows}
        assert len(cards) == len(records)
        def control(text):
            text = text.replace('\\r', '\\u240d')
            text = re.sub('[\\x01-\\x08\\x0b-\\x1f]', lambda c: chr(0x2400 + ord(c[0])), text)
            return text.replace('\\x7f', '\\u2421')
        uids = set()
        for card in cards:
            assert card.version.value == sys.argv[2]
            if sys.argv[2] == '3.0':
                card.validate()
                member, group = 'x-addressbookserver-member', 'x-addressbookserver-kind'
            else:
                member, group = 'member', 'kind'
            kind = card.contents[group][0].value if group in card.contents else 'individual'
            kind = 'department' if kind == 'group' else 'user'
            id = unquote(card.contents['x-staffbook-id'][0].value)
            row = records[kind, id]
            assert card.fn.value == control(row['name']), (card.fn.value, row['name'])
            uids.add(card.uid.value)
            if kind == 'department':
                below = {(r['kind'], r['id']) for r in rows if r.get('parent') == id}
                assert len(card.contents.get(member, [])) == len(below), id
            else:
                places = [r for r in rows if r['kind'] == 'user' and r['id'] == id]
                assert len(card.contents['org']) == len(places)
                departments = [unquote(d.value) for d in card.contents['x-staffbook-department']]
                assert sorted(departments) == sorted(r['parent'] for r in places)
                titles = sorted(t.value for t in card.contents.get('title', []))
                assert titles == sorted(control(r['title']) for r in places if r['title'])
        assert len(uids) == len(cards)
        print(len(cards))
        """
      #expect(try await !ExportReaders.python(script, folder.string, version).isEmpty)
    }
  }

  @Test(arguments: ["4.0", "3.0"])
  func `vCards for others have nothing of ours, and numbers that can be dialled`(
    version: String
  ) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try write("id,parent_id,name\nd,,Works\n", to: folder.appending("departments.csv"))
        try write(
          """
          id,department_id,name,title,email,phone,sort_order
          1,d,Ada Lund,,,+1 650 253 0000 x136,2
          2,d,佐藤花子,,,(650) 253-0001 ext. 136,
          3,d,Cy Dahl,,,+16502530002;ext=136,

          """,
          to: folder.appending("users.csv")
        )
        try await book.lines("field", "add", "shoe_size")
        try await book.lines("import", folder.string)
        try await book.lines("set", "3", "shoe_size=43")
        let export = ["export", "--all", "--format", "vcard", "--vcard-version", version]
        let cards = try await book.run(export).stdout.split(whereSeparator: \.isNewline)
          .map(String.init)
        #expect(!cards.contains { $0.contains("X-STAFFBOOK") }, "\(cards)")
        let type = version == "4.0" ? "work" : "WORK"
        for link in ["tel:+16502530000", "tel:6502530001", "tel:+16502530002"] {
          #expect(cards.contains("TEL;TYPE=\(type);VALUE=uri:\(link);ext=136"), "\(cards)")
        }
        let charset = version == "4.0" ? "" : ";CHARSET=UTF-8"
        #expect(cards.contains("N\(charset):佐藤;花子;;;"), "\(cards)")
        #expect(cards.contains { $0.hasPrefix("NOTE:") && $0.hasSuffix(": 43") }, "\(cards)")
      }
    }
  }

  @Test(arguments: ["o=staffbook", "dc=example,dc=org", "ou=Staff \\2B more,o=x"])
  func `OpenLDAP loads every entry`(base: String) async throws {
    try await withHostileBook { book, folder in
      let path = folder.appending("a.ldif")
      let rows = try await book.lines("export", "--all", "--format", "jsonl").count
      try await book.lines("export", "--all", "--ldif-base", base, "-o", path.string)
      let entries = try await ExportReaders.entries(of: path, suffix: base)
      #expect(entries.count == rows + 1 && Set(entries).count == entries.count)
    }
  }

  @Test(arguments: RealDataTests.sets)
  func `OpenLDAP and Python read real directories`(_ name: String) async throws {
    try await withBook { book in
      try await book.lines("import", try TestData.directory(named: name).string)
      let ldif = book.home.appending("a.ldif")
      let rows = try await book.lines("export", "--all", "--format", "jsonl").count
      try await book.lines("export", "--all", "-o", ldif.string)
      #expect(try await ExportReaders.entries(of: ldif).count == rows + 1)
      let cards = book.home.appending("a.vcf")
      try await book.lines("export", "--all", "-o", cards.string)
      let people = try book.value("select count(*) from staffbook.users")
      let found = try await ExportReaders.python(
        """
        import sys
        data = open(sys.argv[1], encoding='utf8', newline='').read()
        print(data.count('KIND:individual'), data.count('BEGIN:VCARD') - data.count('KIND:group'))
        """,
        cards.string
      )
      #expect(found == ["\(people) \(people)"])
    }
  }

  @Test func `every value stands in an entry, and nothing else does`() async throws {
    try await withHostileBook { book, folder in
      for name in ["a.json", "a.ldif"] {
        try await book.lines("export", "--all", "-o", folder.appending(name).string)
      }
      let script = """
        import base64, json, os, re, sys
        os.chdir(sys.argv[1])
        data = open('a.ldif', 'rb').read()
        assert all(len(line) <= 76 for line in data.split(b'\\n'))
        assert not re.search(rb'[^\\n\\x20-\\x7e]', data), 'more than printable ASCII'
        entries = []
        for block in data.replace(b'\\n ', b'').decode().strip().split('\\n\\n')[1:]:
            entry = {}
            for line in block.split('\\n'):
                name, sign, value = re.fullmatch('([A-Za-z;-]+)(::?) (.*)', line).groups()
                if sign == '::': value = base64.b64decode(value, validate=True).decode()
                entry.setdefault(name, []).append(value)
            entries.append(entry)
        rows = json.load(open('a.json', encoding='utf8'))
        assert len(entries) == len(rows)
        for entry, row in zip(entries, rows):
            def one(*names):
                found = [value for name in names for value in entry.get(name, [])]
                return found[0] if found else ''
            classes = entry['objectClass']
            assert row['id'] == one('uid'), (row, entry)
            assert str(row['sort_order']) == (one('description;lang-x-order') or '0')
            if 'organizationalUnit' in classes:
                assert row['kind'] == 'department' and row['name'] == one('ou')
                assert row['description'] == one('description')
            elif 'inetOrgPerson' in classes:
                assert row['primary'] and row['name'] == one('cn') == one('sn')
                assert row['title'] == one('title') and row['parent'] == one('departmentNumber')
                assert row['email'] == one('mail', 'description;lang-x-mail')
                assert row['phone'] == one('telephoneNumber', 'description;lang-x-phone')
            else:
                assert not row['primary'] and one('cn') == (row['title'] or row['name'])
        print(len(rows))
        """
      #expect(try await !ExportReaders.python(script, folder.string).isEmpty)
    }
  }

  @Test func `Markdown is nested lists of texts that say nothing else`() async throws {
    try await withHostileBook { book, folder in
      for name in ["a.json", "a.md"] {
        try await book.lines("export", "--all", "-o", folder.appending(name).string)
      }
      // With all that GitHub understands.
      let script = """
        import json, os, subprocess, sys, unicodedata
        import xml.etree.ElementTree as tree
        os.chdir(sys.argv[1])
        extensions = ['autolink', 'strikethrough', 'table', 'tagfilter', 'tasklist']
        page = tree.fromstring(subprocess.check_output(
            ['cmark-gfm', '-t', 'xml', 'a.md'] + [w for e in extensions for w in ('-e', e)]))
        def kind(node): return node.tag.split('}')[1]
        def text(node):
            return ''.join(part.text or '' for part in node.iter() if kind(part) == 'text')
        for node in page.iter():
            # Mail addresses it marks however they are written.
            assert kind(node) in ('document', 'list', 'item', 'paragraph', 'strong', 'text') \\
                or kind(node) == 'link' and node.get('destination').startswith('mailto:'), (
                    kind(node), text(node))
        found = []
        def read(list, level):
            assert kind(list) == 'list' and list.get('type') == 'bullet'
            for item in list:
                assert kind(item) == 'item' and kind(item[0]) == 'paragraph' and len(item) <= 2
                found.append((level, item[0]))
                for below in item[1:]: read(below, level + 1)
        assert len(page) == 1
        read(page[0], 0)
        rows = json.load(open('a.json', encoding='utf8'))
        assert len(found) == len(rows)
        def is_plain(value):
            return not any(unicodedata.category(c) in ('Cc', 'Cf', 'Cn', 'Zl', 'Zp') for c in value)
        for (level, paragraph), row in zip(found, rows):
            assert level == row['level'], row
            name = row['name']
            if row['kind'] == 'department':
                assert kind(paragraph[0]) == 'strong', row
                if is_plain(name): assert text(paragraph[0]) == name, row
                name += f" ({row['people']})"
                parts = [('', name), (' – ', row['description'])]
            else:
                assert all(kind(part) != 'strong' for part in paragraph), row
                parts = [('', name), (', ', row['title']), (' · ', row['email']), (' · ', row['phone'])]
            whole = ''.join(sign + part for sign, part in parts if part)
            if is_plain(whole): assert text(paragraph) == whole, row
        print(len(rows))
        """
      #expect(try await !ExportReaders.python(script, folder.string).isEmpty)
    }
  }

  @Test func `text shows every row at its level`() async throws {
    try await withHostileBook { book, folder in
      for name in ["a.json", "a.txt"] {
        try await book.lines("export", "--all", "-o", folder.appending(name).string)
      }
      let script = """
        import json, os, re, sys, unicodedata
        os.chdir(sys.argv[1])
        rows = json.load(open('a.json', encoding='utf8'))
        lines = open('a.txt', encoding='utf8', newline='').read().split('\\n')
        assert lines.pop() == '' and len(lines) == len(rows)
        for line, row in zip(lines, rows):
            assert all(unicodedata.category(c) not in ('Cc', 'Zl', 'Zp') for c in line)
            assert not re.search('[\\u202a-\\u202e\\u2066\\u2067]', line)
            level = row['level']
            trunk = '(?:│  |   ){%d}[├└]─ ' % (level - 1) if level else ''
            sign = {'expanded': '▾ ', 'empty': '▹ '}.get(row.get('disclosure'), '')
            label = re.fullmatch(trunk + sign + '(.*)', line)
            assert label, (line, row)
            plain = label[1].replace('\\u2068', '').replace('\\u2069', '')
            if row['kind'] == 'department': values = f"{row['name']} ({row['people']})"
            else: values = row['name'] + (row['title'] and ' · ' + row['title'])
            if not any(unicodedata.category(c) in ('Cc', 'Cf', 'Cn', 'Zl', 'Zp') for c in values):
                assert plain == values, row
        print(len(rows))
        """
      #expect(try await !ExportReaders.python(script, folder.string).isEmpty)
    }
  }

  @Test func `a flowchart is nodes, edges to those above, and labels that say nothing else`()
    async throws
  {
    try await withHostileBook { book, folder in
      for name in ["a.json", "a.mmd"] {
        try await book.lines("export", "--all", "-o", folder.appending(name).string)
      }
      // The grammar of Mermaid's manual, no wider than what is needed.
      let script = """
        import json, os, re, sys
        os.chdir(sys.argv[1])
        lines = open('a.mmd', encoding='utf8').read().split('\\n')
        assert lines.pop(0) == 'flowchart LR' and lines.pop() == ''
        text = r"(?:#[0-9]+;|[0-9A-Za-z ,'()/+@.\\u0080-\\U0010ffff-])*"
        node = re.compile(rf'  n([0-9]+)(?:\\["({text})"\\]|\\("({text})(?:<br>({text}))?"\\))')
        rows = json.load(open('a.json', encoding='utf8'))
        above = []
        for number, row in enumerate(rows, 1):
            found = node.fullmatch(lines.pop(0))
            assert found and int(found[1]) == number, row
            label = found[2] if row['kind'] == 'department' else found[3]
            assert label is not None and not re.match(r' *(?:[0-9]+[.)]|[-+*])( |$)', label), label
            plain = re.sub('#([0-9]+);', lambda sign: chr(int(sign[1])), label)
            if row['kind'] == 'department': plain = plain.rsplit(' (', 1)[0]
            if row['name'].isascii() and row['name'].isprintable(): assert plain == row['name']
            assert not re.search('[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u202a-\\u202e]', label)
            # What Mermaid's lexer looks for anywhere in a line.
            assert not re.search(r'direction\\s', label)
            del above[row['level']:]
            if above: assert lines.pop(0) == f'  n{above[-1]} --- n{number}'
            above.append(number)
        assert not lines
        print(len(rows))
        """
      #expect(try await !ExportReaders.python(script, folder.string).isEmpty)
    }
  }

  @Test func `Graphviz draws every row`() async throws {
    try await withHostileBook { book, folder in
      let path = folder.appending("a.dot").string
      let rows = try await book.lines("export", "--all", "--format", "jsonl").count
      try await book.lines("export", "--all", "-o", path)
      let svg = try await ExportReaders.lines("dot", ["-Tsvg", path])
      #expect(svg.count { $0.contains("class=\"node\"") } == rows)
      #expect(svg.contains { $0.contains("&amp;amp; &amp;lt; &amp;#60;") })
      #expect(svg.contains { $0.contains("back\\slash\\n\\N\\l") })
    }
  }

  @Test func `an entry deeper than a server takes is refused, and leaves no file`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let chain = (0..<2_000).map { "d\($0),\($0 == 0 ? "" : "d\($0 - 1)"),Level,,\n" }
        try writeCompany(departments: chain.joined(), users: "u,d1999,Somebody,,,,\n", to: folder)
        try await book.lines("import", folder.string)
        let path = folder.appending("a.ldif").string
        let outcome = try await book.run("export", "--all", "-o", path)
        #expect(
          outcome.status == 65
            && outcome.stderr.reads(
              "staffbook: cannot write LDIF: an entry 909 levels deep would have a DN of more than 8192 bytes, which LDAP servers refuse",
              "staffbook: limit the export with --depth, or export a department further down"
            ),
          "\(outcome)"
        )
        #expect(try !folderEntries(folder).contains("a.ldif"))
        // Other formats take any depth.
        for name in ["a.html", "a.xlsx", "a.vcf", "a.csv", "a.md", "a.dot"] {
          let target = folder.appending(name)
          try await book.lines("export", "--all", "-o", target.string)
          #expect(try target.stat().size < 4_000_000, "\(name)")
        }
      }
    }
  }
}
