// Charts: by department or by manager, in levels that open where one clicks.

import { card, get, recordPath } from "./api.js";
import { addressOf } from "./address.js";
import { bdi, button, h, put, s } from "./dom.js";
import { layOut, size } from "./layout.js";
import { path } from "./parts.js";
import { t } from "./texts.js";

/** So many people of a department are drawn; the others are counted. */
const mostStacked = 40;

/**
 * A box: a department, or a person.
 *
 * @typedef {{kind: string, id: string, name: string, lines: {text: string, id?: string}[],
 *   canOpen: boolean, isOpen: boolean, leads?: boolean, isGuest?: boolean, home?: string,
 *   children: Box[], rest: number, isRead: boolean}} Box
 */

const boxOf = (row) => row.kind === "department" ? departmentBox(row) : personBox(row);

function departmentBox(row) {
  const leads = (row.leaders ?? []).map(({ name, id }) => ({ text: "★ " + name, id }));
  return {
    kind: "department", id: row.id, name: row.name, lines: leads.slice(0, 2), count: row.people,
    canOpen: row.disclosure !== "empty", isOpen: false, children: [], rest: 0, isRead: false,
  };
}

function personBox(row, department) {
  const home = row.departments?.[0];
  const here = row.departments?.find(({ id }) => id === department) ?? home;
  return {
    kind: "user", id: row.id, name: row.name, lines: [{ text: here?.title ?? row.title ?? "" }],
    leads: here ? here.leads : row.leads,
    // Somebody whose first department is another is drawn dotted.
    isGuest: Boolean(department && home && home.id !== department), home: home?.id,
    canOpen: !department && row.reports?.length > 0, count: row.reports?.length,
    reports: row.reports ?? [], isOpen: false, children: [], rest: 0, isRead: false,
  };
}

async function readChildren(box, signal) {
  if (box.isRead) return;
  if (box.kind === "department") {
    const rows = [];
    let cursor;
    do {
      const parameters = { limit: 100, cursor };
      const answer = await get(recordPath("department", box.id) + "/children", parameters, signal);
      rows.push(...answer.rows);
      cursor = answer.next;
    } while (cursor && rows.at(-1).kind === "department" && rows.length < 500);
    const people = rows.filter(({ kind }) => kind === "user");
    box.children = [
      ...people.slice(0, mostStacked).map((row) => personBox(row, box.id)),
      ...rows.filter(({ kind }) => kind === "department").map(departmentBox),
    ];
    box.rest = Math.max(0, people.length - mostStacked) + (cursor ? 1 : 0);
    box.isMore = Boolean(cursor);
  } else {
    const ids = box.reports.slice(0, 100).map(({ id }) => id);
    const rows = [];
    // A few at a time: the server counts requests.
    for (let at = 0; at < ids.length; at += 10) {
      rows.push(...await Promise.all(
        ids.slice(at, at + 10).map((id) => card("user", id, signal).catch(() => null))
      ));
    }
    box.children = rows.filter(Boolean).map((row) => personBox(row));
    box.rest = box.reports.length - ids.length;
  }
  box.isRead = true;
}

/** Shows the chart of a record in the pane. */
export async function showChart({ pane, row, places, signal }) {
  const root = boxOf(row);
  root.isOpen = root.canOpen;
  if (root.isOpen) await readChildren(root, signal);
  const place = h("div", { class: "chart", tabindex: "0", role: "region", "aria-label": t("chart") });
  const above = (places[0] ?? []).filter(({ id }) => id !== row.id);
  const manager = row.named?.find(({ id }) => id === row.fields?.manager);
  const draw = (focus) => {
    put(place, drawing(root, toggle));
    if (focus) place.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  };
  const toggle = async (box) => {
    if (!box.isRead) await readChildren(box, signal).catch(() => {});
    box.isOpen = !box.isOpen;
    draw("open " + box.kind + box.id);
  };
  draw();
  const paper = h(
    "select",
    { "aria-label": t("paper") },
    [["A4", "portrait"], ["A4", "landscape"], ["A3", "portrait"], ["A3", "landscape"]].map(
      ([format, turn]) => h("option", { value: `${format} ${turn}`, selected: turn === "landscape" && format === "A4" },
        `${format} ${t(turn)}`)
    )
  );
  return [
    h(
      "header",
      { class: "head" },
      h(
        "div",
        {},
        above.length > 0 && path(above),
        h("h1", { tabindex: "-1" }, bdi(row.name)),
        h("p", { class: "title" }, t(row.kind === "user" ? "chartOfReports" : "chartOfDepartments"))
      )
    ),
    h(
      "div",
      { class: "actions", role: "group", "aria-label": t("actions") },
      button("back", t("card"), () => pane.chart(false), { "data-key": "card" }),
      manager && button("", t("upTo", { name: manager.name }), () =>
        pane.handlers.open({ kind: "user", id: manager.id }, { chart: true })),
      !manager && above.length > 0 && button("", t("upTo", { name: above.at(-1).name }), () =>
        pane.handlers.open({ kind: "department", id: above.at(-1).id }, { chart: true })),
      button("", t("nextLevel"), async () => {
        await openLevel(root, signal);
        draw();
      }),
      button("file", "SVG", () => save(place.querySelector("svg"), row.name), {
        title: t("file", { format: "SVG" }),
      }),
      paper,
      button("print", t("print"), async () => {
        const { sheets } = await import("./paper.js");
        sheets(place.querySelector("svg"), row.name, paper.value);
      })
    ),
    place,
    h("p", { class: "note" }, t("chartNote")),
  ];
}

/** Opens all boxes that are closed on the highest level that has any, as far as they are few. */
async function openLevel(root, signal) {
  let level = [root];
  while (level.length) {
    const closed = level.filter(({ canOpen, isOpen }) => canOpen && !isOpen).slice(0, 40);
    if (closed.length) {
      for (const box of closed) {
        await readChildren(box, signal);
        box.isOpen = true;
      }
      return;
    }
    level = level.flatMap(({ isOpen, children }) => (isOpen ? children : []));
  }
}

// MARK: Drawing

function drawing(root, toggle) {
  const { width, height, boxes } = layOut(root);
  const lines = s("path", { class: "line", d: boxes.map(branch).join("") });
  const homes = new Map(boxes.map((box) => [box.kind + box.id, box]));
  const guests = boxes.filter(({ isGuest, home }) => isGuest && homes.has("department" + home));
  const dotted = s("path", {
    class: "line dotted",
    d: guests.map((guest) => link(guest, homes.get("department" + guest.home))).join(""),
  });
  return s(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": t("chart"),
    },
    lines, dotted, boxes.map((box) => drawBox(box, toggle))
  );
}

/** The lines from a box to those below it: to those of the stack from the side, to others from above. */
function branch(box) {
  if (!box.isOpen) return "";
  let d = "";
  const [x, y] = [box.x + size.width / 2, box.y + box.height];
  for (const stack of box.stacks) {
    const trunk = stack[0].x - size.indent / 2;
    const last = stack.at(-1);
    d += `M${x} ${y}V${y + size.gap / 2}H${trunk}V${last.y + last.height / 2}`;
    for (const leaf of stack) d += `M${trunk} ${leaf.y + leaf.height / 2}H${leaf.x}`;
  }
  for (const child of box.branches) {
    d += `M${x} ${y}V${y + size.gap / 2}H${child.x + size.width / 2}V${child.y}`;
  }
  return d;
}

function link(from, to) {
  const [x, y] = [from.x + size.width, from.y + from.height / 2];
  const [endX, endY] = [to.x + size.width, to.y + to.height / 2];
  const out = Math.max(x, endX) + size.indent / 2;
  return `M${x} ${y}C${out} ${y} ${out} ${endY} ${endX} ${endY}`;
}

function drawBox(box, toggle) {
  const isPerson = box.kind === "user";
  const name = (box.leads ? "★ " : "") + box.name;
  const lines = box.lines.map(({ text }) => text);
  const texts = [name, ...lines].filter(Boolean);
  const said = [box.name, ...lines, box.leads && t("leads")].filter(Boolean).join(", ");
  const classes = ["box", isPerson ? "person" : "department", box.leads && "leads",
    box.isGuest && "guest"].filter(Boolean).join(" ");
  const content = box.isRest ? s("text", { x: 10, y: 21 }, box.name) : s(
    "a",
    { href: addressOf(box.kind, box.id), class: "link", "aria-label": said },
    s("rect", { width: size.width, height: box.textHeight, rx: 6 }),
    s("title", {}, texts.join("\n")),
    texts.map((text, line) => s(
      "text",
      { x: 10, y: 21 + line * size.line, class: line ? "second" : "first" },
      fit(text, size.width - 20, line > 0)
    ))
  );
  const says = t(box.kind === "user" ? "reports" : "people", { count: box.count ?? 0 });
  const open = box.canOpen && s(
    "g",
    {
      class: "opener",
      role: "button",
      tabindex: "0",
      "aria-expanded": String(box.isOpen),
      "aria-label": `${box.name}, ${says}`,
      "data-key": "open " + box.kind + box.id,
      onclick: () => toggle(box),
      onkeydown(event) {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle(box);
      },
    },
    s("rect", { y: box.textHeight, width: size.width, height: size.opener, rx: 6 }),
    s(
      "text",
      { x: size.width / 2, y: box.textHeight + size.opener / 2 + 5, "text-anchor": "middle" },
      `${box.isOpen ? "▾" : "▸"} ${says}`
    )
  );
  return s("g", { class: classes, transform: `translate(${box.x} ${box.y})` }, content, open);
}

const canvas = document.createElement("canvas").getContext("2d");

/** As much of a text as has room. */
function fit(text, room, isSecond) {
  canvas.font = isSecond ? "13px system-ui, sans-serif" : "600 14px system-ui, sans-serif";
  if (canvas.measureText(text).width <= room) return text;
  const letters = [...text];
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (canvas.measureText(letters.slice(0, middle).join("") + "…").width <= room) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join("") + "…";
}

const styles = `
  text { font: 13px system-ui, sans-serif; fill: #1a2230 }
  .first { font-weight: 600; font-size: 14px }
  rect { fill: #fff; stroke: #5a6b80 }
  .department > a > rect { fill: #e8eef7 }
  .guest rect, .dotted { stroke-dasharray: 3 3 }
  .line { fill: none; stroke: #5a6b80 }`;

function save(drawn, name) {
  const copy = drawn.cloneNode(true);
  copy.prepend(s("style", {}, styles));
  for (const link of copy.querySelectorAll("a")) {
    link.setAttribute("href", new URL(link.href.baseVal, location.href));
  }
  const file = new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  const href = URL.createObjectURL(file);
  h("a", { href, download: name.replace(/[^\p{L}\p{N}]+/gu, "-") + ".svg" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
