// The search: results as one types, in the order of the search.

import { get, isAbort } from "./api.js";
import { addressOf } from "./address.js";
import { bdi, button, h, put } from "./dom.js";
import { marked, markedWord } from "./marks.js";
import { fields, label, t } from "./texts.js";

const first = 30;
const further = 100;

export class Search {
  /**
   * @param {HTMLInputElement} field
   * @param {{open: (row) => void, typed: (query: string) => void,
   *   leave: () => void, failed: (problem) => void}} handlers
   */
  constructor(field, handlers) {
    this.field = field;
    this.handlers = handlers;
    this.list = h("ul", { id: "hits", role: "listbox", "aria-label": t("results") });
    this.note = h("p", { class: "note", role: "status" });
    this.more = button("open", t("more"), () => this.read(further));
    this.element = h("div", { class: "hits", hidden: true }, this.note, this.list, this.more);
    this.results = [];
    this.active = -1;
    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-controls": "hits",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-keyshortcuts": "/",
      spellcheck: "false",
      autocapitalize: "none",
      enterkeyhint: "search",
    })) {
      field.setAttribute(name, value);
    }
    field.addEventListener("input", () => this.type(field.value));
    field.addEventListener("keydown", (event) => this.key(event));
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.enter();
    });
    this.list.addEventListener("click", (event) => this.click(event));
  }

  get query() {
    return this.asked ?? "";
  }

  get isShown() {
    return !this.element.hidden;
  }

  /** Searches for what was typed. */
  type(text) {
    this.ask(text.trim());
    this.handlers.typed(text.trim());
  }

  /** Shows the results of a query; for none, nothing. */
  ask(query) {
    if (query === this.query) return;
    this.asked = query;
    this.wish = false;
    this.control?.abort();
    if (!query) {
      this.isReading = false;
      return this.show([], 0);
    }
    this.read(first, true);
  }

  /** Asks again: the directory is another now. */
  renew() {
    if (this.query) this.read(Math.max(first, this.results.length), true);
  }

  async read(limit, isNew = false) {
    this.control?.abort();
    const control = (this.control = new AbortController());
    const query = this.query;
    this.isReading = true;
    try {
      const answer = await get(
        "/search",
        {
          q: query,
          limit: Math.min(limit, 200),
          offset: isNew ? undefined : this.results.length,
          explain: true,
        },
        control.signal
      );
      // An answer to what is no longer in the field is not shown.
      if (control.signal.aborted || query !== this.query) return;
      this.isReading = false;
      const results = isNew ? answer.results : [...this.results, ...answer.results];
      this.show(results, answer.moreThan, isNew ? undefined : this.active);
      if (this.wish) this.enter();
    } catch (problem) {
      if (isAbort(problem)) return;
      this.isReading = this.wish = false;
      // What is wrong with a query is said where its results would be.
      if (problem.status === 400) this.show([], 0, undefined, problem.message);
      else this.handlers.failed(problem);
    }
  }

  show(results, moreThan, active, wrong) {
    this.results = results;
    this.element.hidden = !this.query;
    this.field.setAttribute("aria-expanded", String(results.length > 0));
    put(this.list, results.map((result, index) => this.hit(result, index)));
    this.list.hidden = !results.length;
    this.more.hidden = moreThan === undefined || moreThan > 10_000 || !results.length;
    const count = results.length;
    put(
      this.note,
      wrong ?? (!this.query ? "" : !count ? t("nothing", { query: this.query })
        : t(this.more.hidden ? "found" : "foundMore", { count }))
    );
    this.choose(active ?? (count ? 0 : -1));
    if (active === undefined) this.element.scrollTop = 0;
  }

  hit({ row, highlights, reasons = [], reading }, index) {
    const isPerson = row.kind === "user";
    const department = row.departments?.[0];
    const above = department ? [...department.path, department.name] : row.path ?? [];
    const reason = reasons.find(({ field }) => field !== "name");
    const because = (name, text) =>
      reason?.field === name && reason.text === text ? markedWord(text, reason.word) : text;
    const title = isPerson && row.title && bdi(because("title", row.title), { class: "title" });
    const other = reason && !["title", "dept", "name"].includes(reason.field);
    return h(
      "li",
      { role: "presentation" },
      h(
        "a",
        {
          id: `hit${index}`,
          role: "option",
          class: `hit ${isPerson ? "person" : "department"}`,
          href: addressOf(row.kind, row.id, { query: this.query }),
          tabindex: "-1",
          "aria-selected": "false",
        },
        h(
          "span",
          { class: "who" },
          bdi(marked(row.name, highlights), { class: "name" }),
          title,
          row.leads && h("span", { class: "badge", title: t("leads") }, "★"),
          !isPerson && h("span", { class: "badge" }, t("people", { count: row.people ?? 0 }))
        ),
        h(
          "span",
          { class: "where" },
          above.length > 0 && bdi(above.slice(-3).reverse().map((name, place) => [
            place > 0 && " ‹ ", reason?.field === "dept" ? because("dept", name) : name,
          ]))
        ),
        (other || reading) && h(
          "span",
          { class: "why" },
          other && [this.fieldLabel(reason.field), ": ", bdi(markedWord(reason.text, reason.word))],
          !other && reading && bdi(reading.note)
        )
      )
    );
  }

  fieldLabel(name) {
    const field = [...fields("people"), ...fields("departments")].find((field) => field.name === name);
    return field ? label(field) : name;
  }

  /** Marks the result that Enter opens. */
  choose(index) {
    this.list.children[this.active]?.firstChild.setAttribute("aria-selected", "false");
    this.active = index;
    const option = this.list.children[index]?.firstChild;
    if (option) {
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      this.field.setAttribute("aria-activedescendant", option.id);
    } else {
      this.field.removeAttribute("aria-activedescendant");
    }
  }

  key(event) {
    if (event.isComposing) return;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const last = this.results.length - 1;
    let move = moves[event.key];
    if (event.ctrlKey && (event.key === "n" || event.key === "p")) move = event.key === "n" ? 1 : -1;
    if (move && last >= 0) {
      if (this.active === last && move > 0 && !this.more.hidden) this.read(further);
      this.choose(Math.max(0, Math.min(this.active + move, last)));
    } else if (["ArrowDown", "Escape"].includes(event.key) && !this.field.value) {
      this.handlers.leave();
    } else if (event.key === "Escape") {
      this.clear();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  clear() {
    this.field.value = "";
    this.type("");
  }

  /** Opens the result that is marked, as soon as it is there. */
  enter() {
    const result = this.results[this.active];
    // Whoever types two letters and Enter at once means the results of both.
    this.wish = Boolean(this.isReading);
    if (this.wish) return;
    if (result) this.handlers.open(result.row);
  }

  click(event) {
    const option = event.target.closest("[role=option]");
    if (!option || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.choose(Number(option.id.slice(3)));
    this.handlers.open(this.results[this.active].row);
  }
}
