// The page: the directory on one side, a record on the other, and what leads from one to the other.

import { forgetNames, get, nameOf, weather } from "./api.js";
import { addressOf, go, here } from "./address.js";
import { announce, bdi, button, h, put } from "./dom.js";
import { listen } from "./live.js";
import { all, levels } from "./outline.js";
import { RecordPane } from "./record.js";
import { Search } from "./search.js";
import { Status } from "./status.js";
import * as store from "./store.js";
import { t } from "./texts.js";
import { Tree } from "./tree.js";

const field = document.getElementById("q");
const directory = document.getElementById("directory");
const status = new Status(document.getElementById("status"));
const narrow = matchMedia("(max-width: 50rem)");

const failed = (problem) => {
  // That the server is away, or the caller signed out, is said at the top already.
  if (![0, 401].includes(problem.status) && problem.status < 502) announce(problem.message);
  if (!(problem.status >= 0)) console.error(problem);
};

const tree = new Tree({ open: (row) => open(row), failed });
const record = new RecordPane(document.getElementById("record"), { open, back, failed });
const search = new Search(field, {
  open,
  failed,
  leave: () => tree.focus(),
  typed(query) {
    showDirectory();
    clearTimeout(noting);
    // A browser refuses an address for each letter of a quick typist.
    noting = setTimeout(() => go({ ...here(), query }, false), 300);
  },
});
let noting;
const showKeys = async () => (await import("./keys.js")).showKeys();

// MARK: The directory

const recents = h("nav", { class: "recent", "aria-label": t("recent"), hidden: true });
const tools = h(
  "div",
  { class: "tools", role: "toolbar", "aria-label": t("tree") },
  h(
    "select",
    { "aria-label": t("levels"), onchange: (event) => chooseLevels(event.target) },
    h("option", { value: "" }, t("levels")),
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((count) =>
      h("option", { value: count }, t("levelsOf", { count }))
    )
  ),
  button("open", t("expandAll"), () => tree.change(all), { "aria-keyshortcuts": "=" }),
  button("close", t("collapseAll"), () => tree.change(levels(0)), { "aria-keyshortcuts": "-" }),
  h("button", { type: "button", class: "help", "aria-label": t("keys"), onclick: showKeys }, "?")
);
const walk = h("div", { class: "walk" }, recents, tools, tree.element);
put(directory, h("h1", { class: "unseen" }, t("directory")), search.element, walk);

function chooseLevels(select) {
  if (select.value) tree.change(levels(Number(select.value) - 1));
  select.value = "";
}

/** Shows the results, or the tree while nothing is searched for. */
function showDirectory() {
  const isSearch = Boolean(search.query);
  walk.hidden = isSearch;
  document.body.classList.toggle("searching", isSearch && document.activeElement === field);
  if (!isSearch) tree.measure();
}

async function showRecent() {
  const ids = store.recent();
  const names = await Promise.all(ids.map((id) => nameOf(id).catch(() => null)));
  const links = ids.flatMap((id, index) =>
    names[index] === null ? [] : [
      h("li", {}, h("a", { href: addressOf("user", id), class: "link" }, bdi(names[index]))),
    ]
  );
  recents.hidden = !links.length;
  const forget = () => {
    store.forgetRecent();
    showRecent();
  };
  put(
    recents,
    h("h2", {}, t("recent")),
    h("ul", {}, links),
    h("button", { type: "button", class: "quiet", onclick: forget }, t("forget"))
  );
}

// MARK: Records

/** Shows a record, under an address of its own. */
function open({ kind, id }, { chart = false } = {}) {
  document.body.classList.remove("searching");
  go({ record: { kind, id }, query: search.query, chart: chart === true }, true);
  show(true);
}

/** On a narrow screen: back to the directory. */
function back() {
  go({ query: search.query }, true);
  show(false);
  if (search.query) field.focus();
  else tree.focus();
}

/**
 * Shows what the address says.
 *
 * @param {boolean} isAsked Whether somebody has just opened it, who then reads it.
 */
async function show(isAsked) {
  const place = here();
  document.body.classList.toggle("has-record", Boolean(place.record));
  tree.show(place.record);
  if (!place.record) return record.clear();
  const inTree = tree.element.contains(document.activeElement);
  const inField = document.activeElement === field;
  const focus = isAsked && (narrow.matches || !(inTree || inField));
  const above = await record.show(place.record, { chart: place.chart, focus });
  if (!above || !here().record || here().record.id !== place.record.id) return;
  if (place.record.kind === "user") {
    store.noteRecent(place.record.id);
    showRecent();
  }
  if (!inTree && !search.query) await tree.reveal(place.record.kind, place.record.id, above);
}

function restore() {
  const { query } = here();
  field.value = query;
  search.ask(query);
  showDirectory();
}

// Links within the page need no new page.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a.link");
  if (!link || event.defaultPrevented || event.button) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  // In a chart the address is a value that may be animated.
  const url = new URL(link.href.baseVal ?? link.href, location.href);
  if (search.query) url.search = "?q=" + encodeURIComponent(search.query);
  history.pushState(null, "", url);
  show(true);
});

addEventListener("popstate", () => {
  restore();
  show(true);
});

document.querySelector("a.home").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  search.clear();
  go({}, true);
  show(false);
  field.focus();
});

field.addEventListener("focus", () => showDirectory());

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest?.("input, select, textarea, dialog");
  if (isTyping) return;
  const act = {
    "/": () => {
      if (narrow.matches) document.body.classList.remove("has-record");
      field.focus();
      field.select();
    },
    "?": showKeys,
    i: () => record.focus(),
    y: () => record.copy(),
    m: () => record.mail(),
    Escape: () => (search.query ? field.focus() : narrow.matches ? back() : tree.focus()),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// MARK: News

/** The state that the last event named; two states may be of one second. */
let known;

/** Reads again what is on the screen. */
function renew() {
  forgetNames();
  tree.renew();
  search.renew();
  record.renew();
}

const stream = listen((news) => {
  switch (news.kind) {
    case "here":
      if (status.now !== "here") renew();
      status.become("here");
      break;
    case "away":
      status.become("away");
      break;
    case "signedOut":
      status.become("signedOut");
      break;
    case "changes":
      tree.mark(news.ids);
      break;
    case "reset":
    case "state":
      if (!news.isFirst || news.takenAt !== status.takenAt || (known && news.state !== known)) renew();
      known = news.state;
      status.at({ takenAt: news.takenAt, secondsBehind: 0 });
  }
});

weather.addEventListener("away", () => status.become("away"));
weather.addEventListener("signedOut", ({ problem }) => status.become("signedOut", problem));
addEventListener("online", () => stream.again());

/** Asks now and then how far the server is behind its database; a stream does not say. */
async function look() {
  if (document.hidden) return;
  try {
    const service = await get("");
    status.become("here");
    if (service.takenAt !== status.takenAt) renew();
    status.at(service);
  } catch {
    // Said by then.
  }
}
setInterval(look, 60_000);
document.addEventListener("visibilitychange", look);

// MARK: Begin

// On a slow line somebody types before the scripts are here.
const typed = field.value;
restore();
if (typed !== field.defaultValue) {
  field.value = typed;
  search.type(typed);
}
showRecent();
await tree.renew();
await show(false);
document.body.dataset.ready = "";
