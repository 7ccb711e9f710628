// The tree as it is open: which departments, and the rows that are visible then, by number.

import { get, isAbort, post } from "./api.js";
import * as store from "./store.js";

const pageSize = 100;
const mostPages = 80;
/** The server takes 20,000; fewer are quicker to post. */
const mostSteps = 5_000;

/** Two rows that show the same place in the tree. */
export const isSamePlace = (one, other) =>
  one?.kind === other?.kind && one?.id === other?.id && one?.parent === other?.parent;

/** Rows of one open set in one state of the directory. */
class Rows {
  constructor(set, count) {
    [this.set, this.count, this.pages, this.loading] = [set, count, new Map(), new Map()];
  }

  /** A row that is here already, or `undefined`. */
  at(index) {
    const number = Math.floor(index / pageSize);
    const page = this.pages.get(number);
    // The pages that were used last stay: those of the screen, and of the cursor.
    if (page && this.pages.delete(number)) this.pages.set(number, page);
    return page?.[index % pageSize];
  }

  /** Whether the page of a row is here. */
  has(index) {
    return this.pages.has(Math.floor(index / pageSize));
  }

  /** Reads the pages of a range. */
  async load(from, to) {
    const wanted = [];
    for (let page = Math.floor(from / pageSize); page * pageSize < to; page += 1) {
      wanted.push(this.page(page));
    }
    await Promise.all(wanted);
  }

  async page(page) {
    if (this.pages.has(page)) return;
    if (!this.loading.has(page)) {
      const control = new AbortController();
      const parameters = { from: page * pageSize, limit: pageSize };
      const answer = get(`/open-sets/${this.set}/rows`, parameters, control.signal)
        .then((answer) => {
          this.pages.set(page, answer.rows);
          if (this.pages.size > mostPages) this.pages.delete(this.pages.keys().next().value);
        })
        .finally(() => this.loading.delete(page));
      this.loading.set(page, { answer, control });
    }
    await this.loading.get(page).answer;
  }

  /** Gives up pages that are outside a range, which was scrolled past, but for that of one row. */
  abandon(from, to, row) {
    for (const [page, { control }] of this.loading) {
      const isOutside = (page + 1) * pageSize <= from || page * pageSize >= to;
      if (isOutside && page !== Math.floor(row / pageSize)) control.abort();
    }
  }
}

export class Outline {
  /** @param {(change: {before: Rows, anchor: number, at: number}) => void} onchange */
  constructor(onchange) {
    this.open = store.openSet();
    this.rows = new Rows("", 0);
    this.onchange = onchange;
    this.work = Promise.resolve();
  }

  get count() {
    return this.rows.count;
  }

  at(index) {
    return this.rows.at(index);
  }

  has(index) {
    return this.rows.has(index);
  }

  /** A row, which is read if it is not here yet. */
  async row(index) {
    await this.rows.load(index, index + 1);
    return this.at(index);
  }

  /**
   * Changes what is open, one change after the other, and shows the rows when they are here.
   *
   * @param {(open: {base?: string, levels?: number, steps: Object[]}) => void} change
   * @param {number} anchor The row that stays where it is on the screen.
   * @param {{from: number, to: number}} window The rows around it that are seen.
   */
  change(change, anchor, window) {
    const run = this.work.then(async () => {
      const open = structuredClone(this.open);
      change(open);
      await this.follow(open, anchor, window);
      this.open = open;
      store.keepOpenSet(open);
    });
    this.work = run.catch(() => {});
    return run;
  }

  /** Reads the rows again: the state is another, or the server has forgotten the set. */
  renew(anchor, window) {
    const run = this.work.then(() => this.follow(this.open, anchor, window));
    this.work = run.catch(() => {});
    return run;
  }

  async follow(open, anchor, window) {
    const before = this.rows;
    const row = before.at(anchor);
    const { set, count } = await post("/open-sets", open);
    const rows = new Rows(set, count);
    const near = (at) => [
      Math.max(0, Math.min(window.from + at - anchor, count - 1)),
      Math.max(1, Math.min(window.to + at - anchor, count)),
    ];
    await rows.load(...near(anchor));
    let at = anchor;
    if (row && !isSamePlace(rows.at(at), row)) {
      at = this.find(rows, row, near(anchor)) ?? (await this.locate(row.kind, row.id, rows))?.row;
      if (at === undefined && row.parent) {
        at = (await this.locate("department", row.parent, rows))?.row;
      }
      at ??= anchor;
      await rows.load(...near(at));
    }
    this.rows = rows;
    this.onchange({ before, anchor, at: Math.max(0, Math.min(at, count - 1)) });
  }

  find(rows, row, [from, to]) {
    for (let index = from; index < to; index += 1) {
      if (isSamePlace(rows.at(index), row)) return index;
    }
  }

  /** Where a record is, or what is visible above it: `{row, isExact}`, or `undefined`. */
  async locate(kind, id, rows = this.rows) {
    try {
      return await get(`/open-sets/${rows.set}/row`, { kind, id });
    } catch (problem) {
      if (problem.status !== 404) throw problem;
    }
  }

  /** Rows for the screen, and that of the cursor; those that were scrolled past are not waited for. */
  async load(from, to, cursor) {
    this.rows.abandon(from - pageSize, to + pageSize, cursor);
    try {
      await this.rows.load(from, Math.min(to, this.count));
      await this.rows.load(cursor, cursor + 1);
      return true;
    } catch (problem) {
      if (isAbort(problem)) return false;
      throw problem;
    }
  }
}

// What may be done to an open set.

export const levels = (count) => (open) => replace(open, { levels: count });
export const all = (open) => replace(open, { base: "all" });
export const step = (what, id) => (open) => {
  // The last that was done to a department counts.
  open.steps = open.steps.filter((step) => Object.values(step)[0] !== id);
  open.steps.push({ [what]: id });
  if (open.steps.length > mostSteps) open.steps.shift();
};

function replace(open, base) {
  delete open.base;
  delete open.levels;
  Object.assign(open, base, { steps: [] });
}
