// The keys, in a window of their own.

import { button, h } from "./dom.js";
import { t } from "./texts.js";

const keys = [
  [["/"], "keySearch"],
  [["↑", "k"], "keyUp"],
  [["↓", "j"], "keyDown"],
  [["←", "h"], "keyLeft"],
  [["→", "l"], "keyRight"],
  [["PageUp", "PageDown"], "keyPage"],
  [["Home", "g"], "keyFirst"],
  [["End", "G"], "keyLast"],
  [["Enter"], "keyOpen"],
  [["Space"], "keyToggle"],
  [["*"], "keyBelow"],
  [["=", "-"], "keyAll"],
  [["1", "…", "9"], "keyLevels"],
  [["p"], "keyParent"],
  [["i"], "keyRecord"],
  [["y"], "keyCopy"],
  [["m"], "keyMail"],
  [["Esc"], "keyBack"],
  [["?"], "keyHelp"],
];

let dialog;

export function showKeys() {
  dialog ??= make();
  dialog.showModal();
}

function make() {
  const close = button("", t("close"), () => dialog.close());
  const dialog = h(
    "dialog",
    { class: "keys", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, t("keys")),
    h("dl", {}, keys.map(([names, text]) => [
      h("dt", {}, names.map((name) => h("kbd", {}, name))),
      h("dd", {}, t(text)),
    ])),
    close
  );
  document.body.append(dialog);
  return dialog;
}
