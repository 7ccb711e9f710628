// The page of a department: who leads it, what is in it, and its people as a list.

import { get, mayCopy } from "./api.js";
import { bdi, button, h, put } from "./dom.js";
import { PeopleTable } from "./table.js";
import {
  actions, copyLink, history, linkButton, path, personLinks, recordLink, report, values,
} from "./parts.js";
import { fields, number, t } from "./texts.js";

export function department({ pane, row, places, signal }) {
  const above = (places[0] ?? []).filter(({ id }) => id !== row.id);
  const direct = row.direct_people;
  const table = new PeopleTable(row, signal);
  const file = (format, options) =>
    "/api/v1/export?" + new URLSearchParams({ format, root: row.id, kinds: "people", ...options });
  // What is saved from a page is opened in a spreadsheet, which would run formulas.
  const csv = file("csv", { excel: true });
  return [
    h(
      "header",
      { class: "head" },
      h(
        "div",
        {},
        above.length > 0 && path(above),
        h("h1", { tabindex: "-1" }, bdi(row.name, { "data-value": "name" })),
        row.description && h("p", { class: "title", "data-value": "description" }, bdi(row.description)),
        h(
          "p",
          { class: "quietly", "data-value": "people" },
          t("people", { count: row.people ?? 0 }),
          direct !== undefined && direct !== row.people && ", " + t("direct", { count: direct })
        )
      )
    ),
    actions(
      button("chart", t("chart"), () => pane.chart(true), { "data-key": "chart" }),
      mayCopy() && row.people > 0 && [
        linkButton("file", "CSV", csv, { download: "", title: t("file", { format: "CSV" }) }),
        linkButton("file", "Excel", file("xlsx"), { download: "", title: t("file", { format: "Excel" }) }),
      ],
      button("print", t("print"), () => print(), { "data-key": "print" }),
      copyLink()
    ),
    row.leaders?.length > 0 && h(
      "p",
      { class: "leaders", "data-value": "leaders" },
      h("span", { class: "badge" }, "★ ", t("ledBy")), " ", personLinks(row.leaders)
    ),
    values(row, fields("departments")),
    below(row, signal),
    row.people > 0 && table.element,
    history("department", row.id, signal),
    report(row.name),
  ];
}

/** The departments directly below, which come before the people. */
function below(row, signal) {
  const place = h("div", {});
  if (row.disclosure === "empty") return place;
  const items = h("ul", { class: "departments" });
  const more = button("open", t("more"), () => read());
  let cursor;
  const read = async () => {
    const id = encodeURIComponent(row.id);
    const { rows, next } = await get(
      `/departments/${id}/children`, { limit: 100, cursor }, signal
    );
    const departments = rows.filter(({ kind }) => kind === "department");
    items.append(...departments.map((below) =>
      h("li", {}, recordLink("department", below.id, below.name), " ",
        h("span", { class: "badge" }, number(below.people ?? 0)))));
    cursor = next;
    const isMore = next && departments.length === rows.length;
    if (items.children.length) {
      put(place, h("h2", {}, t("departments")), items, isMore && more);
    }
  };
  read().catch(() => {});
  return place;
}
