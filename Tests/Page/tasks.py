"""What people do on the page, by keyboard alone in a real browser, and what they see then.

usage: tasks.py FOLDER [NUMBER…]

FOLDER is where the company is made. With numbers, only these tasks are done. The accessibility tree of a walk
is compared with heard.txt, or written there with STAFFBOOK_TEST_WRITE=1. At each station axe must find
nothing. The exit status is 1 if a task fails; its screen is then in FOLDER.
"""
import json
import os
import pathlib
import re
import sys
import time
import traceback

from axe_playwright_python.sync_playwright import Axe
from company import Company, Proxy
from playwright.sync_api import expect, sync_playwright

HERE = pathlib.Path(__file__).parent
PATIENCE = int(os.environ.get("STAFFBOOK_TEST_PATIENCE", "60")) * 1000
expect.set_options(timeout=PATIENCE)
tasks = []


def task(what):
    def add(function):
        tasks.append((what, function))
        return function

    return add


class Person:
    """Somebody at a browser: every context is a browser of its own."""

    def __init__(self, browser, company, name="marit.fernlicht", path="/", **options):
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options}
        self.proxy = Proxy(name, company.port)
        self.url = self.proxy.url
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.errors = []
        self.runs = options.get("java_script_enabled", True)
        self.page = self.open(path)

    def open(self, path):
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog {dialog.message}"))
        page.on(
            "console",
            # That the server is away, or says no, a browser calls an error as well.
            lambda message: message.type == "error"
            and "Failed to load resource" not in message.text
            and "ERR_" not in message.text
            and self.errors.append(message.text),
        )
        page.goto(self.url + path)
        if self.runs:
            page.wait_for_selector("body[data-ready]")
        return page

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text)

    def tab_to(self, name, key="Tab"):
        """Goes on with Tab until what has the focus is called so."""
        seen = []
        for _ in range(150):
            self.press(key)
            said = self.page.evaluate(
                """() => {
                  const element = document.activeElement;
                  const label = element.labels?.[0]?.textContent;
                  return (element.getAttribute("aria-label") || label || element.textContent || "").trim();
                }"""
            )
            if said == name or (hasattr(name, "match") and name.match(said)):
                return
            seen.append(said)
        raise AssertionError(f"{name} is not reached by {key}; passed {seen}")

    def heading(self, name):
        expect(self.page.locator("#record h1")).to_contain_text(name)

    def rows(self):
        """The names in the tree that are on the screen, from the top."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll(".tree .row:not([hidden]):not(.waiting)")]
              .sort((one, other) => one.index - other.index)
              .map((row) => row.querySelector(".name").textContent)"""
        )

    def axe(self, where):
        # Colours that are fading are not what is read in the end.
        self.page.wait_for_function("() => document.getAnimations().length === 0")
        found = Axe().run(self.page).response["violations"]
        said = [
            (violation["id"], [node["html"][:200] for node in violation["nodes"]])
            for violation in found
        ]
        assert not said, f"axe, {where}: {json.dumps(said, indent=1, ensure_ascii=False)}"

    def fits(self):
        """Nothing is wider than the window."""
        widths = self.page.evaluate(
            "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert widths[0] <= widths[1], f"wider than the window: {widths}"

    def close(self):
        self.context.close()
        self.proxy.shutdown()
        assert not self.errors, self.errors


# MARK: Find


@task("find a person by two letters, and give a colleague the address")
def _(person, make, company):
    person.type("ma")
    first = person.page.locator("#hits [aria-selected=true] .name")
    expect(first).to_have_text(re.compile(r"\bM[aä]"))
    person.axe("results")
    name = first.inner_text()
    person.press("Enter")
    person.heading(name)
    address = person.page.url
    assert "/people/" in address and address.endswith("?q=ma"), address
    colleague = make("zoe.fernlicht", address.removeprefix(person.url))
    colleague.heading(name)
    expect(colleague.page.locator("#q")).to_have_value("ma")
    expect(colleague.page.locator("#hits li")).not_to_have_count(0)


@task("find 张伟 by zw, and Enter at once means what was typed")
def _(person, make, company):
    person.type("zw")
    person.press("Enter")
    person.heading("张伟")


@task("move through results, and see what matched and the department")
def _(person, make, company):
    person.type("saga")
    hits = person.page.locator("#hits [role=option]")
    expect(hits).to_have_count(3)
    expect(hits.first.locator("mark")).to_have_text("Saga")
    expect(hits.first.locator(".where")).to_contain_text("Fresnel Lenses")
    person.press("ArrowDown", "ArrowDown")
    expect(hits.nth(2)).to_have_attribute("aria-selected", "true")
    person.press("ArrowUp", "Enter")
    person.heading("Saga")
    person.press("Escape")
    expect(person.page.locator("#q")).to_have_value("")
    expect(person.page.locator(".tree")).to_be_visible()
    # `/` from the tree.
    person.press("ArrowDown", "/")
    expect(person.page.locator("#q")).to_be_focused()
    person.type("qxqxqx")
    expect(person.page.locator(".hits .note")).to_contain_text("Nothing found for “qxqxqx”")
    person.axe("no results")


@task("come back to recent people, and clear them")
def _(person, make, company):
    for name, heading in [("zajac", "Łukasz Zając"), ("zoe fern", "Zoë Fernlicht")]:
        person.type(name)
        person.press("Enter")
        person.heading(heading)
        person.press("Escape")
    person.page.goto(person.url)
    recent = person.page.locator(".recent a")
    expect(recent).to_have_text(["Zoë Fernlicht", "Łukasz Zając"])
    person.axe("recent people")
    kept = person.page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert "Fernlicht" not in kept and "zoe.fernlicht" in kept, kept
    person.tab_to("Łukasz Zając")
    person.press("Enter")
    person.heading("Łukasz Zając")
    person.tab_to("Clear", "Shift+Tab")
    person.press("Enter")
    expect(recent).to_have_count(0)


# MARK: Walk


@task("walk the tree, which is as it was at the next visit")
def _(person, make, company):
    person.press("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight")
    tree = person.page.locator(".tree")
    expect(tree.locator(".row", has_text="Fresnel Lenses")).to_be_visible()
    person.axe("tree")
    opened = person.rows()
    person.page.reload()
    person.page.wait_for_selector("body[data-ready]")
    assert person.rows() == opened, person.rows()
    person.press("ArrowDown", "1")
    expect(tree.locator(".row:not([hidden])")).to_have_count(1)
    person.press("2")
    expect(tree.locator(".row:not([hidden])")).to_have_count(10)
    person.press("=")
    expect(tree.locator(".row", has_text="Fresnel Lenses")).to_be_visible()
    person.press("End")
    expect(person.page.locator(".tree .row:focus")).to_contain_text("Zoë Fernlicht")
    person.press("Home", "-")
    expect(tree.locator(".row:not([hidden])")).to_have_count(1)
    person.press("*")
    expect(tree.locator(".row", has_text="Fresnel Lenses")).to_be_visible()
    person.press("?")
    expect(person.page.locator("dialog")).to_be_visible()
    person.axe("keys")
    person.press("Escape")
    expect(person.page.locator("dialog")).to_be_hidden()


@task("scroll away, see a change there, and go on with a key")
def _(person, make, company):
    person.press("ArrowDown", "=")
    tree = person.page.locator(".tree")
    expect(tree.locator(".row", has_text="Fresnel Lenses")).to_be_visible()
    tree.evaluate("(tree) => { tree.scrollTop = tree.scrollHeight }")
    row = tree.locator(".row", has_text="Łukasz Zając")
    expect(row).to_contain_text("Assistant to the board")
    company.run("set", "lukasz.zajac", "title=Keeper of the keys")
    expect(row).to_contain_text("Keeper of the keys")
    # A key is not lost where the row of the cursor, which is far from those that are seen, comes late.
    person.page.evaluate(
        """() => {
          const read = window.fetch;
          window.fetch = async (address, options) => {
            if (String(address).includes("from=0&")) await new Promise((go) => setTimeout(go, 2000));
            return read(address, options);
          };
        }"""
    )
    company.run("set", "lukasz.zajac", "title=Assistant to the board")
    expect(row).to_contain_text("Assistant to the board")
    person.press("ArrowDown")
    expect(tree.locator(".row:focus")).to_contain_text("Lighthouse Works")


@task("hear the tree")
def _(person, make, company):
    said = []
    session = person.context.new_cdp_session(person.page)
    session.send("Accessibility.enable")

    def hear(key):
        if key:
            person.press(key)
        # What a screen reader is given for what has the focus.
        person.page.wait_for_function("() => !document.querySelector('[aria-busy], .waiting')")
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        for node in nodes:
            states = {entry["name"]: entry["value"].get("value") for entry in node.get("properties", [])}
            if states.get("focused") and node["role"]["value"] != "RootWebArea":
                focused = node, states
        node, states = focused
        place = person.page.evaluate(
            """() => ["aria-posinset", "aria-setsize"].map((name) => document.activeElement.getAttribute(name))"""
        )
        parts = [node["role"]["value"], f'"{node["name"]["value"]}"']
        if parts[0] == "treeitem":
            parts.append(f'level {states["level"]}, {place[0]} of {place[1]}')
        if "expanded" in states:
            parts.append("expanded" if states["expanded"] else "collapsed")
        said.append(f"{key or 'at first'}: {' '.join(parts)}")

    hear(None)
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft",
                "ArrowLeft", "End", "p", "ArrowLeft", "i"]:
        if key == "i":
            person.press("Enter")
            person.heading("Fernlicht & Daughters")
        hear(key)
    text = "\n".join(said) + "\n"
    file = HERE / "heard.txt"
    if os.environ.get("STAFFBOOK_TEST_WRITE"):
        file.write_text(text)
    assert text == file.read_text(), text


# MARK: Cards


@task("read a card: call, write, copy, take it along")
def _(person, make, company):
    person.context.grant_permissions(["clipboard-read", "clipboard-write"])
    person.type("saga angstrom")
    person.press("Enter")
    person.heading("Saga Ångström")
    record = person.page.locator("#record")
    expect(record.locator('a[href="mailto:saga.angstrom@fernlicht.example"]')).not_to_have_count(0)
    expect(record.locator('a[href="tel:+46846500426"]')).not_to_have_count(0)
    # Every title in its department, with the way to the top.
    expect(record.locator(".places li")).to_have_count(2)
    expect(record.locator(".places")).to_contain_text("Star Catalogue · Database administrator")
    expect(record.locator(".places")).to_contain_text("Fresnel Lenses · Advisor")
    expect(record.locator(".values")).to_contain_text("Daniel Lawson")
    person.axe("card")
    person.press("Escape", "Escape")
    person.press("i")
    expect(record.locator("h1")).to_be_focused()
    person.press("y")
    person.page.wait_for_function(
        "() => navigator.clipboard.readText().then((text) => text === 'saga.angstrom@fernlicht.example')"
    )
    person.tab_to("vCard")
    with person.page.expect_download() as download:
        person.press("Enter")
    card = pathlib.Path(download.value.path()).read_text()
    assert "FN:Saga Ångström" in card, card
    person.tab_to("QR code")
    person.press("Enter")
    person.page.wait_for_function("() => document.querySelector('.qr img')?.naturalWidth > 0")
    person.tab_to("Colleagues in Star Catalogue", "Shift+Tab")
    person.press("Enter")
    expect(record.locator("#colleagues ul.people li")).not_to_have_count(0)
    person.tab_to("Report a mistake")
    target = person.page.evaluate("() => document.activeElement.href")
    assert target.startswith("mailto:directory@fernlicht.example?subject="), target
    person.axe("open card")


@task("see who reports to whom, and what was changed when")
def _(person, make, company):
    company.run("set", "wei.zhang", "title=Head of stars", "-m", "a better title")
    person.type("zw")
    person.press("Enter")
    expect(person.page.locator("#record .head")).to_contain_text("Head of stars")
    expect(person.page.locator('#record [data-value="reports"]')).not_to_be_empty()
    person.press("Escape", "Escape", "i")
    person.tab_to("History")
    person.press("Enter")
    expect(person.page.locator(".history li").first).to_contain_text("a better title")
    expect(person.page.locator(".history li").first).to_contain_text("Head of stars")
    person.axe("history")


# MARK: Departments


@task("list the people of a department, choose columns, sort, and take the list along")
def _(person, make, company):
    person.page.goto(person.url + "/departments/telescopes")
    person.heading("Telescope Works")
    person.page.wait_for_selector("#record table tbody tr")
    person.axe("department")
    person.press("Escape", "i")
    person.tab_to("CSV")
    for name, begin in [("CSV", b"\xef\xbb\xbf"), ("Excel", b"PK")]:
        with person.page.expect_download() as download:
            person.press("Enter")
        content = pathlib.Path(download.value.path()).read_bytes()
        assert content.startswith(begin), content[:80]
        person.press("Tab")
    deep = person.page.locator(".list input[type=checkbox]").first
    person.tab_to("Include all departments below")
    if not deep.is_checked():
        person.press("Space")
    rows = person.page.locator("#record tbody tr")
    expect(rows).to_have_count(55)
    person.tab_to("Columns")
    person.press("Enter")
    person.tab_to("Office")
    person.press("Space")
    expect(person.page.locator("#record thead")).to_contain_text("Office")
    person.tab_to("Office")
    person.press("Enter")
    expect(person.page.locator("th[aria-sort=ascending]")).to_have_text("Office")
    index = person.page.locator("#record thead th").count() - 1
    cells = person.page.evaluate(
        "(index) => [...document.querySelectorAll('#record tbody tr')].map((row) => row.cells[index].innerText)",
        index,
    )
    filled = [cell for cell in cells if cell]
    compare = person.page.evaluate(
        "(cells) => [...cells].sort(new Intl.Collator('en', { numeric: true }).compare)", filled
    )
    assert filled == compare and all(not cell for cell in cells[len(filled):]), cells
    person.axe("sorted list")


# MARK: Charts


@task("open a chart by department, level by level, save and print it")
def _(person, make, company):
    person.page.goto(person.url + "/departments/fernlicht")
    person.heading("Fernlicht & Daughters")
    person.press("Escape", "i")
    person.tab_to("Chart")
    person.press("Enter")
    chart = person.page.locator("#record .chart svg")
    expect(chart.locator(".box.department")).to_have_count(7)
    expect(chart.locator(".box.leads")).to_contain_text("Marit Fernlicht")
    person.axe("chart")
    person.tab_to(re.compile("^Lighthouse Works, 59 people"))
    person.press("Enter")
    expect(chart.locator(".box.department")).to_have_count(11)
    person.tab_to("Open the next level", "Shift+Tab")
    person.press("Enter", "Enter", "Enter")
    expect(chart.locator(".box.guest")).not_to_have_count(0)
    expect(chart.locator("path.dotted")).to_have_attribute("d", re.compile("^M"))
    with person.page.expect_download() as download:
        person.tab_to("SVG")
        person.press("Enter")
    drawn = pathlib.Path(download.value.path()).read_text()
    assert drawn.startswith("<svg") and "Marit Fernlicht" in drawn
    # A browser in a test has no window for printing: the sheets are read while the page waits for it.
    person.page.evaluate("() => { window.print = () => { window.printed = true } }")
    for choice, width in [("Home", 595), ("End", 1191)]:
        person.page.evaluate("() => { window.printed = false }")
        person.tab_to("Paper", "Shift+Tab")
        person.press(choice)
        person.tab_to("Print")
        person.press("Enter")
        person.page.wait_for_function("() => window.printed")
        sheets = person.page.locator("#paper .sheet").count()
        content = person.page.pdf(prefer_css_page_size=True)
        assert sheets and content.count(b"/Type /Page\n") == sheets, f"{sheets} sheets"
        # The chart is on several sheets of A4 in portrait; in points.
        assert sheets > 1 or choice == "End"
        box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
        assert box and abs(float(box[1]) - width) < 2, box
        person.page.evaluate("() => dispatchEvent(new Event('afterprint'))")


@task("open a chart by manager")
def _(person, make, company):
    person.page.goto(person.url + "/people/marit.fernlicht#chart")
    chart = person.page.locator("#record .chart svg")
    expect(chart.locator(".box")).to_have_count(9)
    person.press("Escape", "i")
    person.tab_to(re.compile("^张伟, (Director|Head)"))
    person.press("Enter")
    person.heading("张伟")
    person.page.go_back()
    person.heading("Marit Fernlicht")


# MARK: Live and honest


@task("see a change that somebody else makes, in all tabs, by one stream")
def _(person, make, company):
    pages = [person.page, person.open("/people/lukasz.zajac"), person.open("/people/lukasz.zajac")]
    person.page.goto(person.url + "/people/lukasz.zajac")
    for page in pages:
        expect(page.locator("#record .head")).to_contain_text("Assistant to the board")
    wait(lambda: company.metric("streams") == 1, "one stream")
    company.run("set", "lukasz.zajac", "title=Keeper of the seal")
    for page in pages:
        expect(page.locator("#record .head")).to_contain_text("Keeper of the seal")
    # The tab that reads the stream is closed: another one reads it.
    pages.pop(0).close()
    wait(lambda: company.metric("streams") == 1, "one stream again")
    company.run("set", "lukasz.zajac", "title=Assistant to the board")
    for page in pages:
        expect(page.locator("#record .head")).to_contain_text("Assistant to the board")
    person.page = pages[0]
    expect(person.page.locator("#status")).to_contain_text("Directory as of")


@task("go on reading while the server is away, and see it come back")
def _(person, make, company):
    person.type("zoe fern")
    person.press("Enter")
    person.heading("Zoë Fernlicht")
    company.stop()
    notice = person.page.locator("#notice")
    expect(notice).to_contain_text("The server cannot be reached")
    expect(person.page.locator("#status")).to_contain_text("last read at")
    person.heading("Zoë Fernlicht")
    person.axe("away")
    company.start()
    expect(notice).to_be_hidden()
    person.press("Escape")
    person.type("zajac")
    expect(person.page.locator("#hits [aria-selected=true]")).to_contain_text("Łukasz Zając")


@task("learn that one is signed out, and what to do")
def _(person, make, company):
    person.proxy.name = None
    person.type("zoe")
    notice = person.page.locator("#notice")
    expect(notice).to_contain_text("You are signed out")
    person.axe("signed out")
    person.page.goto(person.url + "/people/zoe.fernlicht")
    expect(person.page.locator("h1")).to_have_text("Sign in first")
    expect(person.page.locator("#record")).to_contain_text("sign in at the proxy")
    assert "Zoë" not in person.page.content()
    person.axe("sign in")


# MARK: Everybody


@task("use it on a telephone")
def _(person, make, company):
    phone = make(
        "zoe.fernlicht", "/", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    phone.fits()
    small = phone.page.evaluate(
        """() => [...document.querySelectorAll("button, a.button, select, input, .row, .recent a, a.home")]
          .filter((element) => element.checkVisibility())
          .map((element) => [element.textContent.slice(0, 30), element.getBoundingClientRect()])
          .filter(([, box]) => box.height < 43.9 || box.width < 43.9)
          .map(([text, box]) => [text, box.width, box.height])"""
    )
    assert not small, small
    phone.axe("telephone")
    phone.type("zajac")
    phone.press("Enter")
    phone.heading("Łukasz Zając")
    expect(phone.page.locator("#directory")).to_be_hidden()
    phone.fits()
    phone.axe("card on a telephone")
    phone.tab_to("Back", "Shift+Tab")
    phone.press("Enter")
    expect(phone.page.locator("#directory")).to_be_visible()
    phone.page.goto(phone.url + "/departments/telescopes")
    phone.page.wait_for_selector("#record table tbody tr")
    phone.fits()


@task("use it at 200 % and 400 %, in the dark, with forced colours, and without motion")
def _(person, make, company):
    for width, height in [(640, 400), (320, 200)]:
        zoomed = make(
            "zoe.fernlicht", "/people/lukasz.zajac", viewport={"width": width, "height": height},
            color_scheme="dark", reduced_motion="reduce",
        )
        zoomed.heading("Łukasz Zając")
        zoomed.fits()
        zoomed.axe(f"{width} pixels, dark")
    forced = make("zoe.fernlicht", "/departments/fernlicht", forced_colors="active")
    forced.page.wait_for_selector("#record table tbody tr")
    forced.axe("forced colours")


@task("use it in German and in Chinese")
def _(person, make, company):
    for locale, texts in [
        ("de-DE", ["Abteilung", "Stand des Verzeichnisses", "E-Mail schreiben"]),
        ("zh-CN", ["部门", "通讯录更新于", "变更历史"]),
    ]:
        other = make("zoe.fernlicht", "/people/lukasz.zajac", locale=locale)
        other.heading("Łukasz Zając")
        for text in texts:
            expect(other.page.locator("body")).to_contain_text(text)
        left = other.page.evaluate("() => document.body.innerText.match(/\\\\b(Departments?|Copy|Show)\\\\b/)")
        assert not left, left
        other.axe(locale)


@task("read names from right to left")
def _(person, make, company):
    person.type("خالد")
    expect(person.page.locator("#hits [role=option]")).to_have_count(2)
    person.press("Enter")
    person.heading("خالد")
    assert person.page.evaluate(
        "() => getComputedStyle(document.querySelector('#record h1 bdi')).direction"
    ) == "rtl"
    # The whole page the other way round, as it is in a language that is read so.
    person.page.evaluate("() => { document.documentElement.dir = 'rtl' }")
    person.fits()
    person.axe("right to left")


@task("see only what one may see")
def _(person, make, company):
    half = make("khalid.albahri", "/")
    half.page.wait_for_selector(".tree .row")
    assert "Telescope Works" not in half.page.content()
    half.press("ArrowDown", "=")
    half.page.wait_for_function("() => document.querySelectorAll('.tree .row').length > 10")
    half.press("/")
    half.type("camille")
    expect(half.page.locator(".hits .note")).to_contain_text("Nothing found")
    half.page.goto(half.url + "/people/camille.berard")
    expect(half.page.locator("#record h1")).to_have_text("Not found")
    half.axe("not found")
    half.page.goto(half.url + "/people/lukasz.zajac")
    half.heading("Łukasz Zając")
    expect(half.page.locator("#record .actions")).not_to_contain_text("Call")
    assert "+49" not in half.page.content()


@task("read names that try to be more than names")
def _(person, make, company):
    name = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u202egnp.exe"
    company.run(
        "add", "user", name, "--in", "fernlicht", "--id", "eve/../<b>",
        "--title", "\"'><svg onload=alert(3)>", "office=javascript:alert(4)",
    )
    person.type("onerror")
    expect(person.page.locator("#hits [role=option]")).to_have_count(1)
    expect(person.page.locator("#hits .name")).to_have_text(name)
    person.press("Enter")
    expect(person.page.locator("#record h1")).to_have_text(name)
    assert person.page.locator("img[src=x], #record script, svg[onload]").count() == 0
    person.axe("hostile card")
    person.page.reload()
    expect(person.page.locator("#record h1")).to_have_text(name)
    person.page.goto(person.url + "/departments/fernlicht#chart")
    expect(person.page.locator("#record .chart svg")).to_contain_text("<img src=x")
    company.run("remove", "id:eve/../<b>", "--yes")


@task("search and read without a script")
def _(person, make, company):
    plain = make("zoe.fernlicht", "/", java_script_enabled=False)
    # Without a script nothing says when the field has the focus.
    expect(plain.page.locator("#q")).to_be_focused()
    plain.type("saga")
    plain.press("Enter")
    plain.page.wait_for_url("**/?q=saga")
    expect(plain.page.locator("a.hit")).to_have_count(3)
    plain.press("Tab", "Enter")
    plain.page.wait_for_url("**/people/**")
    expect(plain.page.locator("#record h1")).to_contain_text("Saga")
    plain.page.goto(plain.url + "/departments/telescopes")
    expect(plain.page.locator("#record a.hit")).not_to_have_count(0)


def wait(until, what):
    end = time.monotonic() + PATIENCE / 1000
    while not until():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.1)


def main():
    folder = sys.argv[1]
    numbers = [int(number) for number in sys.argv[2:]] or range(1, len(tasks) + 1)
    company = Company(folder)
    failures = []
    company.run("sample", "--load")
    company.run("visibility", "add", "hide department telescopes from person khalid.albahri", "--yes")
    company.run("visibility", "add", "hide phone, mobile of everything from person khalid.albahri", "--yes")
    try:
        company.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
            )
            for number in numbers:
                what, function = tasks[number - 1]
                people = []

                def make(name="marit.fernlicht", path="/", **options):
                    people.append(Person(browser, company, name, path, **options))
                    return people[-1]

                try:
                    function(make(), make, company)
                    for person in people:
                        person.close()
                    print(f"{number}. {what}", flush=True)
                except Exception as error:
                    lines = traceback.extract_tb(error.__traceback__)
                    print([line.lineno for line in lines if line.filename == __file__], str(error)[:1500])
                    print(f"{number}. {what}: FAILED", flush=True)
                    failures.append(number)
                    for place, person in enumerate(people):
                        for page in person.context.pages:
                            page.screenshot(path=f"{folder}/{number}-{place}.png")
                        person.context.close()
                    if not company.server:
                        company.start()
    finally:
        company.end()
    print(f"{len(numbers) - len(failures)} of {len(numbers)} tasks were done")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
