// What matched, marked in a text by elements around parts of it.

import { h } from "./dom.js";

const bytes = new TextEncoder();
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * The parts of a text, with those in ranges marked.
 *
 * @param {string} text
 * @param {number[][]} ranges In bytes of UTF-8, as the server counts.
 */
export function marked(text, ranges = []) {
  if (!ranges.length) return [text];
  const parts = [];
  let at = 0;
  let part = "";
  let isIn = false;
  const end = () => part && parts.push(isIn ? h("mark", {}, part) : part);
  for (const letter of text) {
    const isInNow = ranges.some(([from, to]) => at >= from && at < to);
    if (isInNow !== isIn) {
      end();
      [part, isIn] = ["", isInNow];
    }
    part += letter;
    at += bytes.encode(letter).length;
  }
  end();
  return parts;
}

/** The parts of a text, with a word of the query marked where it begins a word. */
export function markedWord(text, word) {
  const wanted = fold(word ?? "");
  if (!wanted) return [text];
  const letters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  for (let from = 0; from < letters.length; from += 1) {
    if (from && /[\p{L}\p{N}]/u.test(letters[from - 1])) continue;
    let found = "";
    for (let to = from; to < letters.length && found.length < wanted.length; to += 1) {
      found += fold(letters[to]);
      if (!wanted.startsWith(found)) break;
      if (found !== wanted) continue;
      const mark = h("mark", {}, letters.slice(from, to + 1).join(""));
      return [letters.slice(0, from).join(""), mark, letters.slice(to + 1).join("")];
    }
  }
  return [text];
}
