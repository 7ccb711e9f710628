// The tree as a list of rows of which only those on the screen are elements.
//
// A row stands at its number times its height, less `shift`. A browser ends an element's height at
// some 17 million pixels, so the bar of a long list is shorter than its rows: small movements scroll
// rows one to one, large ones of the bar jump, and `shift` is what lies between the two.

import { announce, flash, h } from "./dom.js";
import { all, levels, Outline, step } from "./outline.js";
import { number, t } from "./texts.js";
import { addressOf } from "./address.js";

const mostHeight = 8_000_000;
/** Rows beside those on the screen that are elements, too. */
const margin = 8;

export class Tree {
  /**
   * @param {{open: (row) => void, failed: (problem) => void}} handlers `open` shows a record.
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.outline = new Outline((change) => this.swap(change));
    this.space = h("div", { class: "space", role: "presentation" });
    this.element = h(
      "div",
      {
        class: "tree",
        role: "tree",
        "aria-label": t("tree"),
        onkeydown: (event) => this.key(event),
        onclick: (event) => this.click(event),
        onfocusin: (event) => this.focused(event),
        onscroll: () => this.scrolled(),
      },
      this.space
    );
    /** The row that has, or gets, the focus. */
    this.cursor = 0;
    this.shift = 0;
    this.lastTop = 0;
    /** Elements by the number of their row. */
    this.elements = new Map();
    this.current = undefined;
    this.marked = new Set();
    /** Ends when the keys that were pressed have done their work. */
    this.keys = Promise.resolve();
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  // MARK: What is open

  /** Changes what is open; the row of the cursor, or the first that is seen, stays in its place. */
  async change(change, anchor = this.anchor) {
    await this.attempt(this.outline.change(change, anchor, this.window));
  }

  /** Reads everything again. */
  async renew() {
    await this.attempt(this.outline.renew(this.anchor, this.window));
  }

  async attempt(work) {
    this.element.setAttribute("aria-busy", "true");
    try {
      await work;
    } catch (problem) {
      this.handlers.failed(problem);
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  get anchor() {
    const { from, to } = this.seen;
    return this.cursor >= from && this.cursor < to ? this.cursor : from;
  }

  toggle(index, wanted) {
    const row = this.outline.at(index);
    if (row?.kind !== "department" || row.disclosure === "empty") return;
    const isOpen = row.disclosure === "expanded";
    if (isOpen === wanted) return;
    this.change(step(isOpen ? "close" : "open", row.id), index);
    announce(t(isOpen ? "collapsed" : "expanded", { name: row.name }));
  }

  /** Opens what is above a record, and puts the cursor on it. */
  async reveal(kind, id, above) {
    let found = await this.outline.locate(kind, id).catch(this.handlers.failed);
    if (!found?.isExact && above.length) {
      await this.change(step("open", above.at(-1)));
      found = await this.outline.locate(kind, id).catch(this.handlers.failed);
    }
    if (found) this.moveTo(found.row, { focus: false, middle: true });
  }

  /** Says which record is shown, whose row is marked. */
  show(record) {
    this.current = record;
    for (const [index, element] of this.elements) this.paint(element, index);
  }

  /** Marks the records of these ids as changed when they are shown next. */
  mark(ids) {
    for (const id of ids) this.marked.add(id);
  }

  /** Other rows are here: shows them where the anchor was. */
  swap({ before, anchor, at }) {
    const { from, to } = this.seen;
    const old = new Map();
    for (let index = from; index < to; index += 1) {
      const row = before.at(index);
      if (row) old.set(`${row.kind} ${row.id} ${row.parent}`, JSON.stringify([row.name, row.title]));
    }
    const y = anchor * this.rowHeight - this.shift - this.element.scrollTop;
    if (this.cursor === anchor) this.cursor = at;
    else this.cursor = Math.min(this.cursor, Math.max(0, this.outline.count - 1));
    const focused = this.element.contains(document.activeElement);
    this.recycle(() => true);
    this.resize();
    this.scrollRows(at * this.rowHeight - y);
    if (focused) this.moveTo(this.cursor, { scroll: false });
    for (const [index, element] of this.elements) {
      const row = this.outline.at(index);
      const text = row && old.get(`${row.kind} ${row.id} ${row.parent}`);
      const differs = text && text !== JSON.stringify([row.name, row.title]);
      if (differs || (row && this.marked.has(row.id))) flash(element);
    }
    this.marked.clear();
  }

  // MARK: Scrolling

  measure() {
    const probe = h("div", { class: "row" });
    this.space.append(probe);
    const height = probe.offsetHeight;
    probe.remove();
    if (!height || !this.element.clientHeight) return;
    const first = this.seen?.from ?? 0;
    const isOther = height !== this.rowHeight;
    this.rowHeight = height;
    this.resize();
    if (isOther) this.scrollRows(first * height);
    else this.draw();
  }

  resize() {
    this.height = this.outline.count * (this.rowHeight ?? 0);
    this.space.style.height = Math.min(this.height, mostHeight) + "px";
  }

  /** The numbers of the rows on the screen. */
  get seen() {
    const top = this.element.scrollTop + this.shift;
    const height = this.rowHeight || 1;
    const from = Math.max(0, Math.floor(top / height));
    const to = Math.ceil((top + this.element.clientHeight) / height);
    return { from, to: Math.max(from + 1, Math.min(to, this.outline.count)) };
  }

  get window() {
    const { from, to } = this.seen;
    return { from: Math.max(0, from - margin), to: to + margin };
  }

  /** Where the bar has to be for rows that begin at a height. */
  barAt(top) {
    const view = this.element.clientHeight;
    if (this.height <= mostHeight) return top;
    return (top / (this.height - view)) * (mostHeight - view);
  }

  /** Scrolls so that rows begin at a height. */
  scrollRows(top) {
    const view = this.element.clientHeight;
    top = Math.max(0, Math.min(top, this.height - view));
    const bar = Math.round(this.barAt(top));
    this.shift = top - bar;
    this.element.scrollTop = bar;
    this.lastTop = this.element.scrollTop;
    this.draw();
  }

  scrolled() {
    const top = this.element.scrollTop;
    const moved = top - this.lastTop;
    this.lastTop = top;
    if (this.height > mostHeight && moved) {
      const view = this.element.clientHeight;
      if (Math.abs(moved) > 4 * view) {
        const rows = (top / (mostHeight - view)) * (this.height - view);
        this.shift = rows - top;
      } else {
        clearTimeout(this.settling);
        const settle = () => this.scrollRows(this.element.scrollTop + this.shift);
        const isAtEnd = top <= 0 || top >= mostHeight - view - 1;
        if (isAtEnd || top + this.shift < 0 || top + this.shift > this.height - view) settle();
        else this.settling = setTimeout(settle, 200);
      }
    }
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      this.draw();
    });
  }

  // MARK: Elements

  /** Lets go of elements that are not wanted; the one with the focus stays. */
  recycle(isUnwanted) {
    this.spare ??= [];
    for (const [index, element] of this.elements) {
      if (!isUnwanted(index)) continue;
      this.elements.delete(index);
      if (element === document.activeElement) this.keeper = element;
      else this.spare.push(element);
    }
  }

  draw() {
    if (!this.rowHeight) return;
    const { from, to } = this.window;
    const end = Math.min(to, this.outline.count);
    this.recycle((index) => (index < from || index >= end) && index !== this.cursor);
    let isHere = true;
    const place = (index) => {
      this.place(index);
      isHere &&= this.outline.has(index);
    };
    for (let index = from; index < end; index += 1) place(index);
    if (this.cursor < this.outline.count) place(this.cursor);
    for (const element of this.spare.splice(24)) element.remove();
    for (const element of this.spare) element.hidden = true;
    if (!isHere) this.fetch(from, end);
  }

  place(index) {
    let element = this.elements.get(index);
    if (!element) {
      element = index === this.cursor && this.keeper ? this.keeper : this.spare.pop();
      element ??= this.make();
      if (element === this.keeper) this.keeper = undefined;
      element.hidden = false;
      this.elements.set(index, element);
      element.index = index;
      element.row = undefined;
    }
    element.style.transform = `translateY(${Math.round(index * this.rowHeight - this.shift)}px)`;
    if (!element.row || element.row !== this.outline.at(index)) this.paint(element, index);
  }

  make() {
    const parts = ["twisty", "name", "detail", "badge"].map((name) =>
      h(name === "name" || name === "detail" ? "bdi" : "span", { class: name })
    );
    const element = h("a", { class: "row", role: "treeitem", draggable: "false" }, parts);
    element.parts = parts;
    this.space.append(element);
    return element;
  }

  paint(element, index) {
    const row = this.outline.at(index);
    element.row = row;
    element.tabIndex = index === this.cursor ? 0 : -1;
    const [, name, detail, badge] = element.parts;
    if (!row) {
      element.className = "row waiting";
      name.textContent = detail.textContent = badge.textContent = "";
      element.setAttribute("aria-label", t("loading"));
      for (const key of ["href", "aria-expanded", "aria-current"]) element.removeAttribute(key);
      return;
    }
    const isDepartment = row.kind === "department";
    const count = row.people ?? 0;
    element.className = `row ${isDepartment ? row.disclosure : "person"}`;
    element.style.setProperty("--level", Math.min(row.level, 20));
    name.textContent = row.name;
    detail.textContent = isDepartment ? "" : row.title ?? "";
    badge.textContent = isDepartment ? number(count) : row.leads ? "★" : "";
    element.href = addressOf(row.kind, row.id);
    const said = isDepartment
      ? [row.name, row.disclosure === "empty" ? t("empty") : t("people", { count })]
      : [row.name, row.title, row.leads && t("leads")];
    set(element, {
      "aria-label": said.filter(Boolean).join(", "),
      "aria-level": row.level + 1,
      "aria-setsize": row.siblings ?? -1,
      "aria-posinset": row.position,
      "aria-expanded": isDepartment && row.disclosure !== "empty"
        ? row.disclosure === "expanded" : undefined,
      "aria-current": this.isCurrent(row) ? "page" : undefined,
    });
  }

  isCurrent(row) {
    return row.kind === this.current?.kind && row.id === this.current?.id;
  }

  /** Reads the rows that are seen and are not here yet. */
  async fetch(from, to) {
    try {
      if (!(await this.outline.load(from, to, this.cursor))) return;
      this.draw();
      this.outline.load(Math.max(0, from - 60), to + 60, this.cursor).catch(() => {});
    } catch (problem) {
      // The server has forgotten the set: it is posted again.
      if (problem.status === 404) this.renew();
      else this.handlers.failed(problem);
    }
  }

  // MARK: The cursor

  /** Puts the cursor on a row, and scrolls to it. */
  moveTo(index, { focus = true, scroll = true, middle = false } = {}) {
    const count = this.outline.count;
    if (!count) return;
    index = Math.max(0, Math.min(index, count - 1));
    const before = this.elements.get(this.cursor);
    if (before) before.tabIndex = -1;
    this.cursor = index;
    const top = index * this.rowHeight;
    const view = this.element.clientHeight;
    const now = this.element.scrollTop + this.shift;
    if (scroll && (top < now || top + this.rowHeight > now + view)) {
      if (middle) this.scrollRows(top - view / 2);
      else this.scrollRows(top < now ? top : top + this.rowHeight - view);
    } else {
      this.draw();
    }
    const element = this.elements.get(index);
    if (!element) return;
    element.tabIndex = 0;
    if (focus) element.focus({ preventScroll: true });
  }

  focus() {
    this.moveTo(this.cursor);
  }

  focused(event) {
    const index = event.target.index;
    if (index !== undefined && index !== this.cursor) this.moveTo(index, { scroll: false });
  }

  click(event) {
    const element = event.target.closest(".row");
    if (!element?.row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.moveTo(element.index, { scroll: false });
    if (event.target.closest(".twisty")) this.toggle(element.index);
    else this.handlers.open(element.row);
  }

  /** The keys of the terminal's browser, where a browser has no other use for them. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
    const steps = {
      ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page,
      Home: -Infinity, g: -Infinity, End: Infinity, G: Infinity,
    };
    const acts = {
      ArrowRight: (row) => this.right(row), l: (row) => this.right(row),
      ArrowLeft: (row) => this.left(row), h: (row) => this.left(row),
      p: (row) => this.parent(row),
      Enter: (row) => {
        this.handlers.open(row);
        this.toggle(this.cursor);
      },
      " ": () => this.toggle(this.cursor),
      "*": (row) => row.kind === "department" && this.change(step("below", row.id), this.cursor),
      "=": () => this.change(all),
      "-": () => this.change(levels(0)),
    };
    let act = acts[event.key];
    if (event.key in steps) act = () => this.moveTo(this.cursor + steps[event.key]);
    else if (/^[1-9]$/.test(event.key)) act = () => this.change(levels(Number(event.key) - 1));
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    // A key that follows at once means the rows that the one before it opens. The row of the cursor
    // may be far from those that were read when the state was replaced; what fails then is told by `fetch`.
    this.keys = this.keys
      .then(() => this.outline.work)
      .then(() => this.outline.row(this.cursor))
      .then((row) => row && act(row), () => {})
      .catch(this.handlers.failed);
  }

  right(row) {
    if (row.disclosure === "collapsed") this.toggle(this.cursor, true);
    else if (row.disclosure === "expanded") this.moveTo(this.cursor + 1);
  }

  left(row) {
    if (row.disclosure === "expanded") this.toggle(this.cursor, false);
    else this.parent(row);
  }

  async parent(row) {
    if (!row.parent) return;
    await this.attempt(this.outline.locate("department", row.parent).then((found) => {
      if (found?.isExact) this.moveTo(found.row);
    }));
  }
}

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(key);
    else if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value);
  }
}
