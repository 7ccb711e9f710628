// Elements. Text from the directory goes in as text nodes only; nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element.
 *
 * @param {string} name
 * @param {Object<string, any>} attributes Functions are listeners (`onclick`), `true` is an empty
 *   attribute, and `undefined`, `null` and `false` are left out.
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** As `h`, in the namespace of SVG. */
export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...parts(children));
  return element;
}

function parts(children) {
  return children.flat(Infinity).filter((child) => child || child === 0);
}

/** Replaces what an element contains. */
export function put(element, ...children) {
  element.replaceChildren(...parts(children));
}

/** A text whose own letters decide its direction. */
export function bdi(text, attributes = {}) {
  return h("bdi", attributes, text);
}

const paths = {
  copy: "M8 8h11v12H8zM5 16V4h11",
  mail: "M3 6h18v12H3zl9 7 9-7",
  phone: "M6 3l4 5-2 3c1 2 3 4 5 5l3-2 5 4c-1 3-3 4-5 3C9 19 5 14 3 8c-1-2 1-4 3-5z",
  file: "M6 3h8l5 5v13H6zM14 3v5h5M12 11v6m-3-3 3 3 3-3",
  chart: "M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4",
  link: "M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1",
  print: "M7 8V3h10v5M7 17H4V9h16v8h-3M7 14h10v7H7z",
  open: "M5 8l7 8 7-8",
  close: "M5 16l7-8 7 8",
  code: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h3v3h-3zM20 17v3h-4",
  back: "M15 4l-8 8 8 8",
};

/** A drawn sign beside a text that says the same. */
export function icon(name) {
  return s(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    s("path", { d: paths[name] })
  );
}

/** A button with a sign and a text. */
export function button(sign, text, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, sign && icon(sign), text);
}

/** Says something to a screen reader that is on the screen already. */
export function announce(text) {
  let place = document.getElementById("announcement");
  if (!place) {
    place = h("p", { id: "announcement", class: "unseen", "aria-live": "polite" });
    document.body.append(place);
  }
  place.textContent = text;
}

/** Lets an element be seen as changed for a moment. */
export function flash(element) {
  element.classList.remove("changed");
  void element.offsetWidth; // so that the animation begins again
  element.classList.add("changed");
  element.addEventListener("animationend", () => element.classList.remove("changed"), {
    once: true,
  });
}
