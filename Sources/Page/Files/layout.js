// Where the boxes of a chart stand: those that nothing hangs below in stacks, the others side by side.

import { t } from "./texts.js";

export const size = { width: 200, line: 18, gap: 32, indent: 24, between: 20, opener: 30, stack: 12 };

/**
 * Places a box and what is open below it.
 *
 * @param {Object} root A box, as `chart.js` has it; `x`, `y` and `height` are set in all.
 * @returns {{width: number, height: number, boxes: Object[]}} In pixels.
 */
export function layOut(root) {
  const boxes = [];
  measure(root);
  place(root, 1, 1);
  const right = Math.max(...boxes.map((box) => box.x)) + size.width + size.indent;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 1;
  return { width: Math.ceil(right), height: Math.ceil(bottom), boxes };

  function place(box, x, y) {
    box.x = x + (box.span - size.width) / 2;
    box.y = y;
    boxes.push(box);
    let left = x + (box.span - box.below) / 2;
    const top = y + box.height + size.gap;
    for (const stack of box.stacks) {
      let at = top;
      for (const leaf of stack) {
        place(Object.assign(leaf, { span: size.width, below: 0 }), left + size.indent, at);
        at += leaf.height + 8;
      }
      left += size.width + size.indent + size.between;
    }
    for (const child of box.branches) {
      place(child, left, top);
      left += child.span + size.between;
    }
  }
}

function measure(box) {
  const lines = 1 + (box.lines?.filter(({ text }) => text).length ?? 0);
  box.textHeight = 14 + lines * size.line;
  box.height = box.textHeight + (box.canOpen ? size.opener : 0);
  const children = box.isOpen ? [...box.children] : [];
  if (box.isOpen && box.rest > 0) children.push(rest(box));
  box.branches = children.filter(({ isOpen }) => isOpen);
  const leaves = children.filter(({ isOpen }) => !isOpen);
  box.stacks = [];
  for (let at = 0; at < leaves.length; at += size.stack) {
    box.stacks.push(leaves.slice(at, at + size.stack));
  }
  for (const child of children) measure(child);
  const widths = [
    ...box.stacks.map(() => size.width + size.indent), ...box.branches.map(({ span }) => span),
  ];
  box.below = widths.reduce((sum, width) => sum + width + size.between, -size.between);
  box.below = Math.max(0, box.below);
  box.span = Math.max(size.width, box.below);
}

/** Stands for people who are not drawn. */
const rest = (box) => ({
  kind: "rest", id: box.id, name: box.isMore ? t("furtherMany") : t("further", { count: box.rest }),
  isRest: true, canOpen: false, isOpen: false, children: [], rest: 0, lines: [],
});
