// A list of people with columns that one chooses and sorts by.

import { get } from "./api.js";
import { bdi, button, h, put } from "./dom.js";
import { personLinks, recordLink, value } from "./parts.js";
import * as store from "./store.js";
import { compare, fields, label, t } from "./texts.js";

const page = 200;
/** So many are sorted in the browser; of more, a file is the better list. */
const mostSorted = 5_000;

export class PeopleTable {
  constructor(department, signal) {
    [this.department, this.signal] = [department, signal];
    this.isDeep = department.direct_people === 0;
    this.columns = store.columns();
    this.sorting = { name: undefined, direction: 1 };
    const all = fields("people").filter(({ name }) => name !== "name");
    const has = (name) => all.some((field) => field.name === name);
    /** `title` and `department` are of the membership. */
    this.known = [
      { name: "name", label: "Name", kind: "name" },
      ...(has("title") ? [] : [{ name: "title", label: "Title", kind: "text" }]),
      { name: "department", label: "Department", kind: "department" },
      ...all,
    ];
    this.rows = [];
    this.body = h("tbody", {});
    this.heads = h("tr", {});
    this.note = h("p", { class: "note", role: "status" });
    this.more = button("open", t("more"), () => this.read());
    const count = department.people;
    this.element = h(
      "section",
      { class: "list", "aria-label": t("peopleOf", { name: department.name }) },
      h("h2", {}, t("peopleHead")),
      h(
        "div",
        { class: "tools" },
        department.direct_people !== count && h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            checked: this.isDeep,
            onchange: ({ target }) => this.begin(target.checked),
          }),
          t("withBelow")
        ),
        this.chooser()
      ),
      this.note,
      h(
        "div",
        { class: "wide", tabindex: "0", role: "region", "aria-label": t("peopleHead") },
        h(
          "table",
          {},
          h("caption", { class: "onpaper" }, bdi(department.name)),
          h("thead", {}, this.heads),
          this.body
        )
      ),
      this.more
    );
    this.begin(this.isDeep);
  }

  get shown() {
    return this.known.filter(({ name }) => name === "name" || this.columns.includes(name));
  }

  chooser() {
    const choose = (name, isOn) => {
      this.columns = this.columns.filter((other) => other !== name).concat(isOn ? [name] : []);
      store.keepColumns(this.columns);
      this.draw();
    };
    return h(
      "details",
      { class: "columns" },
      h("summary", {}, t("columns")),
      h("div", { class: "choices" }, this.known.slice(1).map((field) => h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: this.columns.includes(field.name),
          onchange: ({ target }) => choose(field.name, target.checked),
        }),
        label(field)
      )))
    );
  }

  begin(isDeep) {
    [this.isDeep, this.rows, this.cursor, this.isWhole] = [isDeep, [], undefined, false];
    this.sorting = { name: undefined, direction: 1 };
    return this.read();
  }

  /** Reads further people, in the order of the directory. */
  async read(limit = page) {
    const { isDeep, cursor } = this;
    const id = encodeURIComponent(this.department.id);
    try {
      const answer = await get(
        `/departments/${id}/staff`,
        { recursive: isDeep || undefined, limit, cursor },
        this.signal
      );
      if (isDeep !== this.isDeep || cursor !== this.cursor) return false;
      this.rows.push(...answer.rows);
      this.cursor = answer.next ?? undefined;
      this.isWhole = !this.cursor;
      this.draw();
      return true;
    } catch (problem) {
      if (problem.status) put(this.note, problem.message);
      return false;
    }
  }

  draw() {
    const { name, direction } = this.sorting;
    const sorted = name ? [...this.rows].sort((left, right) => {
      const [one, other] = [this.text(left, name), this.text(right, name)];
      // Whoever has no value comes last, whichever way it is sorted.
      return !one - !other || direction * compare(one, other);
    }) : this.rows;
    put(this.heads, this.shown.map((field) => h(
      "th",
      {
        scope: "col",
        "aria-sort": field.name === name ? (direction > 0 ? "ascending" : "descending") : undefined,
      },
      h("button", { type: "button", onclick: () => this.sort(field.name) }, label(field))
    )));
    put(this.body, sorted.map((row) => h("tr", {}, this.shown.map((field) => this.cell(row, field)))));
    this.more.hidden = this.isWhole;
    const count = this.rows.length;
    put(this.note, t(this.isWhole ? "people" : "firstPeople", { count }));
  }

  /** The membership that a row is in the list for: the first that is in the department. */
  membership(row) {
    const id = this.department.id;
    return row.departments?.find((membership) => membership.id === id) ?? row.departments?.[0];
  }

  cell(row, { name, kind }) {
    const membership = this.membership(row);
    switch (name) {
      case "name":
        return h("th", { scope: "row" }, recordLink("user", row.id, row.name),
          membership?.leads && h("span", { class: "badge", title: t("leads") }, " ★"));
      case "department":
        return h("td", {}, membership && recordLink("department", membership.id, membership.name));
      default: {
        const texts = this.texts(row, name);
        return h("td", {}, texts.map((text, index) => [
          index > 0 && ", ",
          kind === "person" ? this.person(row, text) : value(kind, text),
        ]));
      }
    }
  }

  person(row, id) {
    const person = row.named?.find((other) => other.id === id)
      ?? this.rows.find((other) => other.id === id);
    return person ? personLinks([person]) : bdi(id);
  }

  texts(row, name) {
    const found = name === "title"
      ? this.membership(row)?.title ?? row.title : row.fields?.[name] ?? row[name];
    return [found].flat().filter((text) => typeof text === "string" && text);
  }

  text(row, name) {
    if (name === "name") return row.name;
    if (name === "department") return this.membership(row)?.name ?? "";
    return this.texts(row, name).join(", ");
  }

  /** Sorts by a column: up, down, and then as the directory does. */
  async sort(name) {
    while (!this.isWhole && this.rows.length < mostSorted) if (!(await this.read(1_000))) return;
    if (!this.isWhole) {
      put(this.note, t("tooManyToSort", { count: mostSorted }));
      return;
    }
    const { name: before, direction } = this.sorting;
    if (before !== name) this.sorting = { name, direction: 1 };
    else this.sorting = direction > 0 ? { name, direction: -1 } : { name: undefined, direction: 1 };
    this.draw();
    const index = this.shown.findIndex((field) => field.name === name);
    this.heads.children[index]?.firstChild.focus();
  }
}
