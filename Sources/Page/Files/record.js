// The side of the page that shows one record.

import { card, get } from "./api.js";
import { announce, button, flash, h, put } from "./dom.js";
import { person } from "./person.js";
import { department } from "./department.js";
import { t } from "./texts.js";

const title = document.title;

export class RecordPane {
  /** @param {{open: Function, back: () => void, failed: (problem) => void}} handlers */
  constructor(element, handlers) {
    [this.element, this.handlers] = [element, handlers];
  }

  /** Shows nothing but how to begin. */
  clear() {
    this.control?.abort();
    [this.record, this.row, this.isChart] = [undefined, undefined, false];
    document.title = title;
    put(this.element, h("p", { class: "hint" }, t("hint")));
  }

  /**
   * Shows a record.
   *
   * @param {{kind: string, id: string}} record
   * @returns {Promise<string[] | undefined>} The ids of the departments above its first place, from
   *   the top; `undefined` if it is not there, or another was asked for meanwhile.
   */
  async show(record, { chart = false, focus = false } = {}) {
    const isOther = this.record?.id !== record.id || this.record?.kind !== record.kind;
    this.record = record;
    this.isChart = chart;
    return this.read({ focus, isOther });
  }

  /** Reads the record again, which may be another now. */
  renew() {
    if (this.record) this.read({ focus: false, isOther: false });
  }

  async read({ focus, isOther }) {
    this.control?.abort();
    const control = (this.control = new AbortController());
    const { kind, id } = this.record;
    this.element.setAttribute("aria-busy", "true");
    try {
      const [row, { places }] = await Promise.all([
        card(kind, id, control.signal),
        get("/places", { kind, id }, control.signal),
      ]);
      if (control.signal.aborted) return;
      const text = JSON.stringify([row, places, this.isChart]);
      if (isOther || text !== this.text) await this.fill(row, places, control.signal, !isOther);
      this.text = text;
      if (focus) this.focus();
      const above = places[0]?.map((department) => department.id) ?? [];
      return kind === "department" ? above.filter((other) => other !== id) : above;
    } catch (problem) {
      if (control.signal.aborted) return;
      // What was on the screen stays, unless it is another record.
      if (problem.status === 404 || isOther) this.lack(problem);
      this.handlers.failed(problem);
    } finally {
      if (this.control === control) this.element.removeAttribute("aria-busy");
    }
  }

  lack(problem) {
    this.text = undefined;
    document.title = title;
    put(
      this.element,
      this.backButton(),
      h("h1", { tabindex: "-1" }, problem.status === 404 ? t("notThere") : t("notNow")),
      h("p", {}, problem.status === 404 ? t("notThereWhy") : problem.message)
    );
  }

  async fill(row, places, signal, isRenewal) {
    const before = this.values;
    const open = [...this.element.querySelectorAll("details[open]")].map(({ id }) => id);
    const focused = this.element.contains(document.activeElement)
      ? document.activeElement.dataset.key : undefined;
    const place = { pane: this, row, places, signal };
    // What few ask for is read when they do, so that the first page is light.
    const content = this.isChart ? await (await import("./chart.js")).showChart(place)
      : row.kind === "user" ? person(place) : department(place);
    if (signal.aborted) return;
    const top = this.element.scrollTop;
    this.row = row;
    put(this.element, this.backButton(), content);
    document.title = `${row.name} · ${title}`;
    this.element.scrollTop = isRenewal ? top : 0;
    for (const id of open) if (isRenewal) this.element.querySelector(`#${id}`)?.setAttribute("open", "");
    if (focused) this.element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    this.values = new Map(
      [...this.element.querySelectorAll("[data-value]")].map((element) => [
        element.dataset.value, element.textContent,
      ])
    );
    if (isRenewal && before) this.showChanges(before);
    else announce(t("shown", { name: row.name }));
  }

  showChanges(before) {
    for (const element of this.element.querySelectorAll("[data-value]")) {
      if (before.get(element.dataset.value) !== element.textContent) flash(element);
    }
  }

  backButton() {
    return button("back", t("back"), () => this.handlers.back(), { class: "back" });
  }

  focus() {
    this.element.querySelector("h1")?.focus();
  }

  /** Copies the first address, or number. */
  copy() {
    this.element.querySelector("button.copy")?.click();
  }

  mail() {
    this.element.querySelector('a[href^="mailto:"]')?.click();
  }

  /** Opens the chart, or goes back from it. */
  chart(isChart) {
    this.handlers.open(this.record, { chart: isChart });
  }
}
