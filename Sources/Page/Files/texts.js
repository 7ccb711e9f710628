// The texts of the chosen language, and numbers and dates as it writes them.

const texts = JSON.parse(document.getElementById("texts").textContent);
export const setup = JSON.parse(document.getElementById("setup").textContent);

const language = setup.language || document.documentElement.lang || "en";
const numbers = new Intl.NumberFormat(language);
const plurals = new Intl.PluralRules(language);
const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
const birthdays = new Intl.DateTimeFormat(language, {
  month: "long",
  day: "numeric",
  timeZone: "UTC",
});
const lists = new Intl.ListFormat(language);
const collator = new Intl.Collator(language, { numeric: true });

/**
 * The text of a key, in which `{name}` stands for a value. With a value `count`, the text of the
 * key and `.one` is taken where the language has a form of its own for it.
 */
export function t(key, values = {}) {
  const one = values.count !== undefined && plurals.select(values.count) === "one";
  const text = (one && texts[key + ".one"]) || texts[key] || key;
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : String(value ?? "");
  });
}

export const number = (value) => numbers.format(value);
export const time = (text) => times.format(new Date(text));
export const list = (texts) => lists.format(texts);
export const compare = (left, right) => collator.compare(left, right);

/** A date of the directory: `YYYY-MM-DD`, or `--MM-DD` without a year. */
export function day(text) {
  const parts = /^(?:(\d{4})|-)-(\d\d)-(\d\d)$/.exec(text);
  if (!parts) return text;
  const date = new Date(`${parts[1] ?? "2000"}-${parts[2]}-${parts[3]}T00:00:00Z`);
  return isNaN(date) ? text : (parts[1] ? days : birthdays).format(date);
}

/** The label of a field: one that a company has written stays as it is. */
export function label(field) {
  return texts["label." + field.label] ?? field.label;
}

/** The fields of `people` or `departments` as they are declared, in order. */
export function fields(owner) {
  return (setup.service.fields ?? [])
    .map((field) =>
      typeof field === "string" ? { name: field, label: field, kind: "text", of: "people" } : field
    )
    .filter((field) => field.of === owner);
}
