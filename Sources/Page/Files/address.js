// What the address says: the record that is shown, how, and the query.

const collections = { people: "user", departments: "department" };

/** @returns {{record?: {kind: string, id: string}, query: string, chart: boolean}} */
export function here() {
  const [, collection, id] = location.pathname.split("/");
  const kind = collections[collection];
  let record;
  try {
    if (kind && id) record = { kind, id: decodeURIComponent(id) };
  } catch {
    // No id has such an address.
  }
  return {
    record,
    query: new URLSearchParams(location.search).get("q") ?? "",
    chart: location.hash === "#chart",
  };
}

export function addressOf(kind, id, { query = "", chart = false } = {}) {
  const collection = kind === "user" ? "people" : "departments";
  const path = kind ? `/${collection}/${encodeURIComponent(id)}` : "/";
  return path + (query ? "?q=" + encodeURIComponent(query) : "") + (chart ? "#chart" : "");
}

/**
 * Changes the address.
 *
 * @param {{record?: Object, query?: string, chart?: boolean}} place
 * @param {boolean} isNew Whether *Back* leads to where one was.
 */
export function go({ record, query, chart }, isNew) {
  const address = addressOf(record?.kind, record?.id, { query, chart });
  if (address === location.pathname + location.search + location.hash) return;
  history[isNew ? "pushState" : "replaceState"](null, "", address);
}
