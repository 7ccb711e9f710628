// What stays in this browser for the next visit: ids and names of fields, and nothing else.

const mostRecent = 8;

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem("staffbook." + key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(key, value) {
  try {
    localStorage.setItem("staffbook." + key, JSON.stringify(value));
  } catch {
    // Without storage the page works; it only forgets.
  }
}

/** Ids of the people who were looked at last, newest first. */
export function recent() {
  const ids = read("recent", []);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

export function noteRecent(id) {
  write("recent", [id, ...recent().filter((other) => other !== id)].slice(0, mostRecent));
}

export const forgetRecent = () => write("recent", []);

/** Which departments are open, as `POST /open-sets` takes it. */
export function openSet() {
  const set = read("open", null);
  return set && Array.isArray(set.steps) ? set : { levels: 1, steps: [] };
}

export const keepOpenSet = (set) => write("open", set);

/** The columns of lists of people. */
export const columns = () => read("columns", ["title", "department", "email", "phone"]);
export const keepColumns = (names) => write("columns", names);
