import SystemPackage
import TestSupport
import Testing

@Suite("The page in a browser")
struct ExportPageTests {
  @Test func `nothing in it runs but its own script`() async throws {
    try await withHostileBook { book, folder in
      let path = folder.appending("a.html").string
      let rows = try await book.lines("export", "--all", "--format", "jsonl").count
      try await book.lines("export", "--all", "-o", path)
      let found = try await ExportReaders.python(
        ExportReaders.browser + """
          browser = Browser()
          browser.page(sys.argv[1])
          print(browser.js("document.querySelectorAll('.r').length"))
          print(browser.js("document.querySelectorAll('script, img, iframe').length"))
          print(browser.js("document.title"))
          print(browser.js("document.querySelectorAll('a:not([href^=\\"mailto:\\"]):not([href^=\\"tel:\\"])').length"))
          print(browser.js('''Array.from(document.querySelectorAll('*')).filter(e =>
            Array.from(e.attributes).some(a => a.name.startsWith('on'))).length'''))
          print(browser.problems())
          browser.js("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\\"document.title=1\\">')")
          time.sleep(0.5)
          print(browser.js("document.title"))
          browser.close()
          """,
        path
      )
      #expect(found == ["\(rows)", "1", "Staffbook", "0", "0", "[]", "Staffbook"])
    }
  }

  @Test func `opens, closes, searches, and goes by the keyboard`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("collapse", "--all")
        try await book.lines("expand", "id:lum")
        let path = folder.appending("a.html").string
        let notice = try await book.run("export", "--all", "-o", path)
        #expect(
          notice.stderr.reads(
            "staffbook: wrote 8 rows to …, 4 of them below collapsed departments"
          ),
          "\(notice)"
        )
        let seen = try await book.lines("tree", "--json")
        let found = try await ExportReaders.python(
          ExportReaders.browser + """
            browser = Browser()
            browser.page(sys.argv[1])
            def shown():
                return browser.js('''Array.from(document.querySelectorAll('.r'))
                  .filter(row => row.checkVisibility()).map(row =>
                  row.firstChild.textContent).join('|')''')
            def focused(): return browser.js("document.activeElement.firstChild.textContent")
            start = shown()
            print(start)
            browser.js("document.querySelector('.r').focus()")
            browser.key('ArrowDown', 40)
            first = focused()
            browser.key('ArrowRight', 39)
            assert browser.js("document.activeElement.getAttribute('aria-expanded')") == 'true'
            opened = shown()
            assert len(opened) > len(start)
            browser.key('ArrowRight', 39)
            assert focused() != first
            browser.key('ArrowLeft', 37)
            browser.key('ArrowLeft', 37)
            assert focused() == first and shown() == start
            browser.key('/', 191, text='/')
            assert browser.js("document.activeElement.id + document.activeElement.value") == 'query'
            browser.send('Input.insertText', text='zak LUK')
            found = "document.getElementById('status').value"
            while not browser.js(found).endswith('found'): time.sleep(0.1)
            print(browser.js(found))
            print('Żak' in shown() and 'Noé' not in shown())
            browser.key('Escape', 27)
            assert shown() == start
            browser.js("document.getElementById('all').click()")
            everything = shown().split('|')
            print(len(everything))
            browser.js("document.getElementById('none').click()")
            print(shown())
            assert browser.problems() == []
            browser.page(sys.argv[1], script=False)
            print(len(shown().split('|')))
            browser.close()
            """,
          path
        )
        let all = try await book.lines("tree", "--all", "--json")
        #expect(found[at: 0] == values(of: "name", in: seen).joined(separator: "|"))
        #expect(found[at: 1]?.hasSuffix("found") == true && found[at: 1] != "0 found")
        #expect(found[at: 2] == "True")
        #expect(found[at: 3] == "\(all.count)")
        #expect(found[at: 4] == values(of: "name", in: Array(all.prefix(1)))[at: 0])
        #expect(found[at: 5] == "\(all.count)", "without scripts everything is shown")
      }
    }
  }
}
