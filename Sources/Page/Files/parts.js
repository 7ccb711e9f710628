// What cards of people and departments have in common.

import { get, recordPath } from "./api.js";
import { addressOf } from "./address.js";
import { announce, bdi, button, h, icon, put } from "./dom.js";
import { day, label, setup, t, time } from "./texts.js";

/** A link to a record within the page. */
export function recordLink(kind, id, name, attributes = {}) {
  const address = addressOf(kind, id);
  return h("a", { class: "link", href: address, "data-key": address, ...attributes }, bdi(name));
}

export const personLinks = (people) =>
  people.map(({ id, name }, index) => [index > 0 && ", ", recordLink("user", id, name)]);

/** Whatever a record says, only these open another program. */
function safeURL(text) {
  try {
    const url = new URL(text);
    if (["https:", "http:"].includes(url.protocol)) return url.href;
  } catch {
    // Shown as the text that it is.
  }
}

// Words and signs before an extension, as the server reads them (WrittenPhone).
const marks =
  "extension|extensao|extensão|extn|ext|xt|x|durchwahl|dw|apparat|app|nebenstelle|nst|poste|interno|int|anexo|" +
  "ramal|toestel|tst|anknytning|ankn|lokal|lok|wewnętrzny|wewnetrzny|wewn|wew|linka|klapka|доб|дод|вн|内線|内线|" +
  "分机|分機|转|轉|내선|داخلی|داخلي|שלוחה|εσωτ";
const marked = new RegExp(`[;, ]*(?<!\\p{L})(?:${marks})(?!\\p{L})[.:= #-]*(\\d{1,20})(?!\\d)`, "u");
const paused = /[;, ]*(?:[;,]|#)[ #]*(\d{1,9})#?\s*$/u;
const keys = "22233344455566677778889999";

/** The digits of all scripts and forms as those of ASCII. */
const plainDigits = (text) =>
  text.normalize("NFKC").replace(/\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0);
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0) - zero < 9) zero -= 1;
    return digit.codePointAt(0) < 0x80 ? digit : String(digit.codePointAt(0) - zero);
  });

/**
 * The link that dials a number, and then its extension (RFC 3966 §5.3), and nothing else; letters only where they
 * are capitals, as those of a number's word are.
 */
export function telephone(text) {
  let plain = plainDigits(text).trim();
  // Two numbers, of which one call is made.
  if (plain.replace(/\D/g, "").length > 15 && /[/|\n]/.test(plain)) plain = plain.split(/[/|\n]/)[0];
  const signs = plain.replace(/[ -]/g, "");
  if (/^[\d*#]+$/.test(signs) && /[*#]/.test(signs) && !/^\d{5,}#/.test(signs)) {
    return "tel:" + signs.replaceAll("#", "%23");
  }
  const lower = plain.toLowerCase();
  const count = (at) => lower.slice(0, at).replace(/\D/g, "").length;
  let found = marked.exec(lower);
  if (found && [1, 2].includes(count(found.index))) found = null;
  if (!found) {
    found = paused.exec(lower);
    if (found && count(found.index) < 5) found = null;
  }
  let number = (found ? plain.slice(0, found.index) : plain).replace(/[;,#].*$/su, "");
  const extension = found?.[1] ?? "";
  const word = number.replace(/[\d+\-.()/\s]/g, "");
  const isWord = /^[A-Z]{3,}$/.test(word) && /^\D*\d\D*\d/.test(number.replace(/[A-Z].*/s, ""));
  if (isWord) {
    const spelled = number.replace(/[A-Z]/g, (letter) => keys[letter.charCodeAt(0) - 65]);
    const digits = spelled.replace(/\D/g, "").length;
    if (digits >= 7 && digits <= 15) number = spelled;
  }
  // Other words end a number that has five digits.
  for (const { index } of number.matchAll(/\p{L}/gu)) {
    if (number.slice(0, index).replace(/\D/g, "").length >= 5) {
      number = number.slice(0, index);
      break;
    }
  }
  const isInternational = /^[^\d]*\+/.test(number);
  if (isInternational || /^\D*00/.test(number)) number = number.replace(/\(0\)/, "");
  const digits = number.replace(/\D/g, "").slice(0, 32);
  if (!digits) return "tel:" + extension;
  return "tel:" + (isInternational ? "+" : "") + digits + (extension && ";ext=" + extension);
}

export const mailAddress = (text) => "mailto:" + encodeURIComponent(text).replaceAll("%40", "@");

/** A value as its kind is shown: a number and an address can be used, a person leads to a card. */
export function value(kind, text, named = []) {
  const safe = kind === "url" && safeURL(text);
  if (kind === "phone") return h("a", { href: telephone(text) }, bdi(text, { dir: "ltr" }));
  if (kind === "email") return h("a", { href: mailAddress(text) }, bdi(text));
  if (safe) return h("a", { href: safe, rel: "noreferrer noopener", target: "_blank" }, bdi(text));
  if (kind === "date") return h("time", { datetime: text }, day(text));
  if (kind === "person") {
    const person = named.find(({ id }) => id === text);
    return person ? recordLink("user", text, person.name) : bdi(text);
  }
  return bdi(text);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where a browser has no clipboard for an unsafe connection, the old way is left.
    const area = h("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  announce(t("copied", { text }));
}

function copyButton(text, name) {
  const sign = h(
    "button",
    {
      type: "button",
      class: "copy",
      "data-key": "copy " + name + text,
      "aria-label": t("copy", { text }),
      title: t("copy", { text }),
      onclick: async () => {
        await copy(text);
        sign.classList.add("done");
        setTimeout(() => sign.classList.remove("done"), 1_500);
      },
    },
    icon("copy")
  );
  return sign;
}

/** The values of fields, each with its label. */
export function values(row, fields) {
  const lines = fields.flatMap((field) => {
    const found = row.fields?.[field.name] ?? row[field.name];
    const texts = [found].flat().filter((text) => typeof text === "string" && text);
    if (!texts.length) return [];
    return [
      h("dt", {}, label(field)),
      h("dd", { "data-value": field.name }, texts.map((text) =>
        h(
          "div",
          { class: "value" },
          value(field.kind, text, row.named),
          ["email", "phone", "url", "text"].includes(field.kind) && copyButton(text, field.name)
        )
      )),
    ];
  });
  return lines.length ? h("dl", { class: "values" }, lines) : null;
}

/** The departments above, from the top, as links. */
export function path(departments) {
  return h("span", { class: "path" }, departments.map(({ id, name }, index) => [
    index > 0 && h("span", { class: "step", "aria-hidden": "true" }, "›"),
    recordLink("department", id, name),
  ]));
}

/** A part that is read when it is opened. */
export function later(id, heading, read, isOpen = false) {
  const place = h("div", {}, t("loading"));
  let isRead = false;
  const details = h(
    "details",
    {
      id,
      async ontoggle() {
        if (!details.open || isRead) return;
        isRead = true;
        try {
          put(place, await read());
        } catch (problem) {
          isRead = false;
          put(place, problem.status ? problem.message : t("notNow"));
        }
      },
    },
    h("summary", {}, h("h2", {}, heading)),
    place
  );
  details.open = isOpen;
  return details;
}

/** The history of a record, where the caller may see it. */
export function history(kind, id, signal) {
  const place = h("div", {});
  get(recordPath(kind, id) + "/history", { limit: 20 }, signal).then(
    ({ entries }) => {
      const transactions = new Map();
      for (const entry of entries) {
        if (entry.event === "transaction") transactions.set(entry.transaction, [entry, []]);
        else if (entry.id === id) transactions.get(entry.transaction)?.[1].push(entry);
      }
      if (!transactions.size) return;
      put(place, later("history", t("history"), () => h(
        "ol",
        { class: "history" },
        [...transactions.values()].map(([transaction, changes]) => h(
          "li",
          {},
          h("time", { datetime: transaction.at }, time(transaction.at)),
          transaction.actor && [" · ", bdi(transaction.actor)],
          transaction.reason && h("p", {}, bdi(transaction.reason)),
          changes.map(change)
        ))
      )));
    },
    // Whoever may not see it is not told that there is one.
    () => {}
  );
  return place;
}

function change({ action, from, to, values = [], joined = [], left = [] }) {
  const moved = from || to
    ? [from && bdi(from.name), from && to && " → ", to && bdi(to.name)] : null;
  return h(
    "div",
    {},
    t("action." + action), moved && ": ", moved,
    joined.map(({ name }) => [" + ", bdi(name)]),
    left.map(({ name }) => [" − ", bdi(name)]),
    values.length > 0 && h("ul", {}, values.map(({ field, old, new: now, department }) => h(
      "li",
      {},
      field, department && [" (", bdi(department.name), ")"], ": ",
      old && h("del", {}, bdi(text(old))), " ", now && h("ins", {}, bdi(text(now)))
    )))
  );
}

const text = (value) => (Array.isArray(value) ? value.join(", ") : String(value));

/** A link to whom mistakes are reported, with the address of the record. */
export function report(name) {
  const to = setup.service.reports;
  if (!to) return null;
  const subject = encodeURIComponent(t("reportSubject", { name }));
  const body = encodeURIComponent(t("reportBody", { address: location.origin + location.pathname }));
  const href = /^https?:/.test(to) ? safeURL(to) : `${mailAddress(to)}?subject=${subject}&body=${body}`;
  return href && h("p", { class: "report" }, h("a", { href }, t("report")));
}

/** The buttons above a card. */
export const actions = (...children) =>
  h("div", { class: "actions", role: "group", "aria-label": t("actions") }, children);

export const linkButton = (sign, text, href, attributes = {}) =>
  h("a", { class: "button", href, ...attributes }, icon(sign), text);

export const copyLink = () =>
  button("link", t("copyLink"), () => copy(location.origin + location.pathname), {
    "data-key": "copy link",
  });
