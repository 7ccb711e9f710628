"use strict";
(() => {
  const tree = document.getElementById("tree");
  const query = document.getElementById("query");
  const status = document.getElementById("status");
  const chunks = Array.from(tree.children);
  const rows = Array.from(tree.querySelectorAll(".r"));
  const count = rows.length;
  const level = new Int32Array(count);
  // Row above in the tree, and the row after the last one below.
  const parent = new Int32Array(count).fill(-1);
  const end = new Int32Array(count).fill(count);
  const open = new Uint8Array(count);
  const shown = new Uint8Array(count);
  const hits = new Uint8Array(count);
  const index = new Map();
  let saved = null;
  let texts = null;
  let current = 0;

  const path = [];
  for (let i = 0; i < count; i++) {
    const row = rows[i];
    index.set(row, i);
    level[i] = Number(row.getAttribute("aria-level"));
    while (path.length && level[path[path.length - 1]] >= level[i]) end[path.pop()] = i;
    if (path.length) parent[i] = path[path.length - 1];
    if (row.classList.contains("d")) path.push(i);
    open[i] = row.getAttribute("aria-expanded") === "true" ? 1 : 0;
    shown[i] = row.hidden ? 0 : 1;
  }
  const hasRows = (i) => end[i] > i + 1 && rows[i].classList.contains("d");

  // Brings the page up to what is open and what a search left; `keep` says which rows may show.
  const apply = (keep) => {
    for (let i = 0; i < count; i++) {
      const above = parent[i];
      const visible = (above < 0 || (shown[above] && open[above])) && (!keep || keep[i]) ? 1 : 0;
      if (visible !== shown[i]) {
        shown[i] = visible;
        rows[i].hidden = !visible;
      }
      if (hasRows(i)) {
        const text = open[i] ? "true" : "false";
        if (rows[i].getAttribute("aria-expanded") !== text) {
          rows[i].setAttribute("aria-expanded", text);
        }
      }
    }
    resize();
    if (!shown[current]) {
      let above = current;
      while (above >= 0 && !shown[above]) above = parent[above];
      focusable(above >= 0 ? above : Math.max(shown.indexOf(1), 0));
    }
  };

  // What lies outside the window is not laid out, so it is told how high it will be.
  const resize = () => {
    let i = 0;
    for (const chunk of chunks) {
      let visible = 0;
      for (const stop = i + chunk.children.length; i < stop; i++) visible += shown[i];
      chunk.hidden = visible === 0;
      chunk.style.containIntrinsicBlockSize = `auto ${visible * 28}px`;
    }
  };

  const focusable = (i) => {
    rows[current].removeAttribute("tabindex");
    current = i;
    if (rows[i]) rows[i].tabIndex = 0;
  };
  const focus = (i) => {
    focusable(i);
    rows[i].focus();
  };

  const toggle = (i, wanted) => {
    if (!hasRows(i) || (open[i] === 1) === wanted) return;
    open[i] = wanted ? 1 : 0;
    apply(kept);
  };

  const everything = (wanted) => {
    for (let i = 0; i < count; i++) if (hasRows(i)) open[i] = wanted ? 1 : 0;
    apply(kept);
  };

  // Search: every word must be in the row; rows that match show with all that leads to them.
  // Letters without a decomposition are found by the ones that people type for them.
  const typedAs = { ł: "l", ø: "o", đ: "d", ð: "d", ħ: "h", ı: "i", ß: "ss", æ: "ae", œ: "oe", þ: "th" };
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase()
    .replace(/[łøđðħıßæœþ]/gu, (letter) => typedAs[letter]);
  let kept = null;
  const search = () => {
    const words = plain(query.value).split(/\s+/u).filter((word) => word !== "");
    for (let i = 0; i < count; i++) {
      if (hits[i]) rows[i].classList.remove("m");
      hits[i] = 0;
    }
    if (words.length === 0) {
      if (saved) open.set(saved);
      saved = kept = null;
      apply(null);
      status.value = "";
      return;
    }
    texts ??= rows.map((row) => plain(row.textContent));
    saved ??= open.slice();
    open.set(saved);
    kept = new Uint8Array(count);
    let found = 0;
    for (let i = 0; i < count; i++) {
      if (!words.every((word) => texts[i].includes(word))) continue;
      found++;
      hits[i] = 1;
      rows[i].classList.add("m");
      kept[i] = 1;
      for (let above = parent[i]; above >= 0 && !(kept[above] && open[above]); above = parent[above]) {
        kept[above] = 1;
        open[above] = 1;
      }
    }
    // What was found can be looked into.
    for (let i = 0; i < count; i++) {
      if (!hits[i] || !hasRows(i)) continue;
      let leads = false;
      for (let below = i + 1; below < end[i] && !leads; below++) leads = kept[below] === 1;
      if (leads) continue;
      kept.fill(1, i, end[i]);
      open[i] = 0;
      i = end[i] - 1;
    }
    apply(kept);
    status.value = found === 1 ? "1 found" : `${found} found`;
  };
  let waiting = 0;
  query.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  query.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      query.value = "";
      search();
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      clearTimeout(waiting);
      if (event.key === "Enter") search();
      const first = hits.indexOf(1);
      if (shown.indexOf(1) >= 0) focus(first >= 0 && shown[first] ? first : shown.indexOf(1));
      event.preventDefault();
    }
  });

  document.getElementById("all").addEventListener("click", () => everything(true));
  document.getElementById("none").addEventListener("click", () => everything(false));

  tree.addEventListener("click", (event) => {
    const row = event.target.closest(".r");
    if (!row || event.target.closest("a")) return;
    const i = index.get(row);
    focus(i);
    toggle(i, !open[i]);
  });

  // Keys as in the ARIA Authoring Practices' tree view pattern.
  const step = (from, by) => {
    for (let i = from + by; i >= 0 && i < count; i += by) if (shown[i]) return i;
    return from;
  };
  let typed = "";
  let typedAt = 0;
  const typeAhead = (key) => {
    const now = Date.now();
    typed = now - typedAt > 800 ? key : typed + key;
    typedAt = now;
    const wanted = plain(typed);
    for (let turn = typed.length > 1 ? 0 : 1; turn <= count; turn++) {
      const i = (current + turn) % count;
      if (shown[i] && plain(rows[i].firstChild.textContent).startsWith(wanted)) return focus(i);
    }
  };
  tree.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const forward = getComputedStyle(tree).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const i = current;
    switch (event.key) {
      case "ArrowDown": focus(step(i, 1)); break;
      case "ArrowUp": focus(step(i, -1)); break;
      case "Home": focus(Math.max(shown.indexOf(1), 0)); break;
      case "End": focus(Math.max(shown.lastIndexOf(1), 0)); break;
      case "ArrowRight":
      case "ArrowLeft":
        if (event.key === forward) {
          if (hasRows(i) && open[i]) focus(step(i, 1));
          else toggle(i, true);
        } else if (hasRows(i) && open[i]) toggle(i, false);
        else if (parent[i] >= 0) focus(parent[i]);
        break;
      case "Enter": {
        const link = rows[i].querySelector("a");
        if (event.target.closest("a")) return;
        if (hasRows(i)) toggle(i, !open[i]);
        else if (link) link.click();
        break;
      }
      case " ": toggle(i, !open[i]); break;
      case "*":
        for (let j = 0; j < count; j++) if (parent[j] === parent[i] && hasRows(j)) open[j] = 1;
        apply(kept);
        break;
      default:
        // What the page itself waits for.
        if (event.key.length !== 1 || event.key === "/") return;
        typeAhead(event.key);
    }
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== query) {
      query.focus();
      event.preventDefault();
    }
  });

  resize();
  focusable(Math.max(shown.indexOf(1), 0));
})();
