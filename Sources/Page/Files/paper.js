// A chart on paper: in sheets, each with its head.

import { bdi, h, put } from "./dom.js";
import { setup, t, time } from "./texts.js";

/** Millimetres; what is left at each edge, and what the head takes. */
const edge = 10;
const head = 14;
const formats = { A4: [210, 297], A3: [297, 420] };
/** Pixels of the chart in a millimetre of paper: as on the screen at most, and half as large at least. */
const [usual, least] = [96 / 25.4, 2 * (96 / 25.4)];

/**
 * Prints a chart.
 *
 * @param {SVGElement} drawn
 * @param {string} name Stands above each sheet.
 * @param {string} paper `A4 portrait`, `A3 landscape` and so on.
 */
export function sheets(drawn, name, paper) {
  const [format, turn] = paper.split(" ");
  const [short, long] = formats[format];
  const [width, height] = turn === "portrait" ? [short, long] : [long, short];
  const [w, h2] = [width - 2 * edge, height - 2 * edge - head];
  const { width: chartWidth, height: chartHeight } = drawn.viewBox.baseVal;
  // As small as it takes to fit on one sheet, but not so small that it cannot be read.
  const scale = Math.min(Math.max(usual, chartWidth / w, chartHeight / h2), least);
  const columns = Math.max(1, Math.ceil(chartWidth / scale / w));
  const rows = Math.max(1, Math.ceil(chartHeight / scale / h2));
  const pages = [];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const part = drawn.cloneNode(true);
      part.setAttribute("viewBox", `${column * w * scale} ${row * h2 * scale} ${w * scale} ${h2 * scale}`);
      part.setAttribute("width", w + "mm");
      part.setAttribute("height", h2 + "mm");
      part.setAttribute("preserveAspectRatio", "xMinYMin");
      pages.push(h(
        "section",
        { class: "sheet" },
        h("p", { class: "sheet-head" }, h("strong", {}, bdi(name)),
          h("span", {}, setup.service.takenAt && time(setup.service.takenAt)),
          h("span", {}, t("sheet", { page: pages.length + 1, pages: rows * columns,
            row: row + 1, column: column + 1 }))),
        part
      ));
    }
  }
  const place = h("div", { id: "paper" });
  put(place, pages);
  document.body.append(place);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`@page { size: ${paper}; margin: ${edge}mm }`);
  document.adoptedStyleSheets = [sheet];
  document.body.classList.add("printing");
  addEventListener("afterprint", () => {
    place.remove();
    document.body.classList.remove("printing");
    document.adoptedStyleSheets = [];
  }, { once: true });
  print();
}
