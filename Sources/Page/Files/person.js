// The card of a person.

import { get } from "./api.js";
import { bdi, button, h } from "./dom.js";
import {
  actions, copyLink, history, later, linkButton, mailAddress, path, personLinks, recordLink, report,
  telephone, values,
} from "./parts.js";
import { fields, t } from "./texts.js";

/** One or two letters that stand for a name: one of a name in Chinese, Japanese or Korean. */
export function initials(name) {
  const words = name.split(/[\s·・]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const first = (word) =>
    [...new Intl.Segmenter().segment(word)].map(({ segment }) => segment)
      .find((letter) => /[\p{L}\p{N}]/u.test(letter)) ?? "";
  if (!words.length) return "·";
  if (/\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(name)) {
    return first(words[0]);
  }
  // Not joined to one another, as Arabic letters would be.
  const letters = [words[0], ...words.slice(1).slice(-1)].map(first).join("\u200C");
  return letters.toUpperCase();
}

/** One of eight colours, always the same for an id. */
export function hue(id) {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.codePointAt(0)) % 8_191;
  return "hue" + (sum % 8);
}

export function person({ pane, row, places, signal }) {
  const own = row.fields ?? {};
  const inHead = ["phonetic_name", "pronouns"];
  const declared = fields("people").filter(({ name }) => !inHead.includes(name));
  const phone = row.phone || own.mobile;
  const vCard = `/api/v1/people/${encodeURIComponent(row.id)}.vcf`;
  const reading = own.phonetic_name;
  return [
    h(
      "header",
      { class: "head" },
      h("span", { class: "face " + hue(row.id), "aria-hidden": "true" }, initials(row.name)),
      h(
        "div",
        {},
        h(
          "h1",
          { tabindex: "-1" },
          bdi(row.name, { "data-value": "name" }),
          reading && [" ", bdi(`(${reading})`, { class: "reading" })],
          own.pronouns && [" ", bdi(own.pronouns, { class: "pronouns" })]
        ),
        row.title && h("p", { class: "title", "data-value": "title" }, bdi(row.title))
      )
    ),
    actions(
      phone && linkButton("phone", t("call"), telephone(phone)),
      row.email && linkButton("mail", t("mail"), mailAddress(row.email)),
      linkButton("file", t("vcard"), vCard, { download: "" }),
      button("chart", t("chart"), () => pane.chart(true), { "data-key": "chart" }),
      copyLink()
    ),
    values(row, declared),
    h("h2", {}, t("places", { count: row.departments?.length ?? 0 })),
    h("ul", { class: "places" }, (row.departments ?? []).map((membership, index) => {
      const above = places.find((place) => place.at(-1)?.id === membership.id) ?? [];
      const leaders = (membership.leaders ?? []).filter(({ id }) => id !== row.id);
      return h(
        "li",
        { "data-value": "in " + membership.id },
        h(
          "div",
          { class: "membership" },
          recordLink("department", membership.id, membership.name, { class: "link strong" }),
          membership.title && [" · ", bdi(membership.title)],
          membership.leads && h("span", { class: "badge" }, " ★ ", t("leads")),
          index === 0 && row.departments.length > 1 && h("span", { class: "tag" }, t("primary"))
        ),
        above.length > 1 && h("div", {}, path(above.slice(0, -1))),
        leaders.length > 0 && h("div", { class: "quietly" }, t("ledBy"), " ", personLinks(leaders))
      );
    })),
    row.reports?.length > 0 && [
      h("h2", {}, t("reports", { count: row.reports.length })),
      h("ul", { class: "people", "data-value": "reports" }, row.reports.map(({ id, name }) =>
        h("li", {}, recordLink("user", id, name)))),
    ],
    row.departments?.[0] && later(
      "colleagues",
      t("colleagues", { name: row.departments[0].name }),
      () => colleagues(row, signal)
    ),
    later("qr", t("qr"), () => h(
      "figure",
      { class: "qr" },
      h("img", {
        src: `/api/v1/people/${encodeURIComponent(row.id)}/qr.svg`,
        alt: t("qrAlt", { name: row.name }),
        width: "240",
        height: "240",
      }),
      h("figcaption", {}, t("qrUse"))
    )),
    history("user", row.id, signal),
    report(row.name),
  ];
}

async function colleagues(row, signal) {
  const id = encodeURIComponent(row.departments[0].id);
  const { rows, next } = await get(`/departments/${id}/staff`, { limit: 100 }, signal);
  const others = rows.filter((other) => other.id !== row.id);
  if (!others.length) return h("p", {}, t("nobody"));
  return [
    h("ul", { class: "people" }, others.map((other) =>
      h("li", {}, recordLink("user", other.id, other.name), other.title && [
        " ", bdi(other.title, { class: "quietly" }),
      ]))),
    next && h("p", {}, recordLink("department", row.departments[0].id, t("all"))),
  ];
}
