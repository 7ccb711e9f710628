"""How fast the page is in a real browser, on a server that is running.

usage: figures.py URL COOKIE QUERY…

Prints a line for each figure: name, value, unit. The line to the server is slowed down for what is opened to
1.6 Mbit/s with 150 ms, as a telephone on the way has it; the rest is measured without. The queries are typed
letter by letter, each letter when the results of the one before are on the screen.
"""
import os
import sys

from playwright.sync_api import sync_playwright

# Says when something is on the screen first, and how long each letter takes until its results are.
WATCH = """
  const drawn = (then) => requestAnimationFrame(() => setTimeout(then));
  let pressed;
  addEventListener("keydown", () => { pressed = performance.now() }, true);
  window.letters = [];
  new MutationObserver((changes) => {
    if (!document.querySelector("#hits [role=option]")) return;
    if (window.firstHit === undefined) {
      window.firstHit = null;
      drawn(() => { window.firstHit = performance.now() });
    }
    if (pressed === undefined || !changes.some(({ target }) => target.id === "hits")) return;
    const from = pressed;
    pressed = undefined;
    drawn(() => letters.push(performance.now() - from));
  }).observe(document, { childList: true, subtree: true });
"""

# Frames while `move` is called before each, until it returns false: how long each took, and in how many of
# them a row on the screen had not been read yet.
FRAMES = """(move) => new Promise((resolve) => {
  const tree = document.querySelector(".tree"), frames = [];
  const act = new Function("tree", "time", move);
  let last, waiting = 0;
  const frame = (now) => {
    if (last !== undefined) frames.push(now - last);
    last ??= window.begun = now;
    last = now;
    if (document.querySelector(".tree .waiting:not([hidden])")) waiting += 1;
    if (act(tree, now - window.begun) === false) resolve({ frames, waiting });
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""

SECONDS = 10
# In pixels each frame: a wheel that is turned without pause, and a hand that flings.
WHEEL = f"tree.scrollBy(0, 40); return time < {SECONDS * 1000}"
FLING = f"tree.scrollBy(0, 400); return time < {SECONDS * 1000}"
BAR = f"tree.scrollTop = time / {SECONDS * 1000} * tree.scrollHeight; return time < {SECONDS * 1000}"


def figure(name, value, unit, digits=1):
    print(f"page.{name} {value:.{digits}f} {unit}", flush=True)


def of(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


class Visit:
    """A page that is opened, and what came over the line for it."""

    def __init__(self, context, url, slow=False):
        self.page = context.new_page()
        self.page.add_init_script(WATCH)
        self.session = context.new_cdp_session(self.page)
        self.session.send("Network.enable")
        self.bytes = self.requests = 0
        self.session.on("Network.loadingFinished", self.count)
        if slow:
            self.session.send(
                "Network.emulateNetworkConditions",
                {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000},
            )
        self.page.goto(url, wait_until="commit")

    def count(self, event):
        self.bytes += event["encodedDataLength"]
        self.requests += event["encodedDataLength"] > 0

    def paint(self):
        self.page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        return self.page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")

    def first_hit(self, letters):
        """Types as soon as the field is there, as somebody in a hurry does."""
        self.page.wait_for_function("() => document.activeElement?.id === 'q'")
        self.page.keyboard.type(letters)
        self.page.wait_for_function("() => window.firstHit > 0")
        return self.page.evaluate("() => window.firstHit")


def opening(browser, url, cookie, letters):
    runs = {}
    for _ in range(5):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": "staffbook", "value": cookie, "url": url}])
        for state in ["cold", "warm"]:
            visit = Visit(context, url, slow=True)
            values = {"paint": visit.paint(), "hit": visit.first_hit(letters)}
            visit.page.wait_for_selector("body[data-ready]")
            values |= {"bytes": visit.bytes / 1000, "requests": visit.requests}
            visit.page.close()
            for name, value in values.items():
                runs.setdefault((state, name), []).append(value)
        context.close()
    for (state, name), values in runs.items():
        unit = {"bytes": "kB", "requests": ""}.get(name, "ms")
        figure(f"{state}.{name}", of(values, 0.5), unit, 0 if unit != "kB" else 1)


def letters(page, queries):
    field = page.locator("#q")
    for query in queries:
        field.fill("")
        field.focus()
        for letter in query:
            count = page.evaluate("() => letters.length")
            page.keyboard.type(letter)
            try:
                page.wait_for_function("(count) => letters.length > count", arg=count, timeout=5000)
            except Exception:
                # Nothing is found: there are no results to wait for.
                break
    values = page.evaluate("() => letters")
    figure("letters", len(values), "")
    figure("letter.p50", of(values, 0.5), "ms")
    figure("letter.p99", of(values, 0.99), "ms")
    field.fill("")


def scrolling(page):
    page.keyboard.press("ArrowDown")
    page.keyboard.press("=")
    page.wait_for_function("() => document.querySelector('.tree .space').offsetHeight > 5e6 || document.querySelectorAll('.tree .row').length > 30")
    for name, move in [("wheel", WHEEL), ("fling", FLING), ("bar", BAR)]:
        page.evaluate("() => { document.querySelector('.tree').scrollTop = 0 }")
        page.wait_for_function("() => !document.querySelector('.tree .waiting:not([hidden])')")
        measured = page.evaluate(FRAMES, move)
        frames = measured["frames"]
        figure(f"scroll.{name}.p50", of(frames, 0.5), "ms")
        figure(f"scroll.{name}.p99", of(frames, 0.99), "ms")
        figure(f"scroll.{name}.waiting", 100 * measured["waiting"] / len(frames), "%")


def memory(browser, visit):
    visit.session.send("HeapProfiler.collectGarbage")
    visit.session.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in visit.session.send("Performance.getMetrics")["metrics"]}
    figure("heap", metrics["JSHeapUsedSize"] / 1e6, "MB")
    figure("elements", metrics["Nodes"], "", 0)
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    private = []
    for process in processes:
        if process["type"] != "renderer":
            continue
        with open(f"/proc/{process['id']}/status") as file:
            private.append(next(int(line.split()[1]) for line in file if line.startswith("RssAnon")))
    figure("tab", max(private) / 1000, "MB")


def main():
    url, cookie, *queries = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        opening(browser, url, cookie, queries[0][:2])
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": "staffbook", "value": cookie, "url": url}])
        visit = Visit(context, url)
        visit.page.wait_for_selector("body[data-ready]")
        letters(visit.page, queries)
        scrolling(visit.page)
        memory(browser, visit)


if __name__ == "__main__":
    main()
