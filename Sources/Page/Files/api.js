// The interface of the server: `/api/v1`, and nothing else.

import { setup } from "./texts.js";

/** Why a request was not answered (RFC 9457); `status` is 0 where no server was reached. */
export class Problem extends Error {
  constructor(status, { title, detail, remedy } = {}) {
    super(detail ?? title ?? String(status));
    this.status = status;
    this.remedy = remedy;
  }
}

/** Whether an error is only that a newer request took the place of this one. */
export const isAbort = (error) => error?.name === "AbortError";

/** Is told of `away` and `signedOut` as requests meet them. */
export const weather = new EventTarget();

/** The newest state that was seen: no answer is of an older one, whichever node gives it. */
let state;

/**
 * Reads JSON.
 *
 * @param {string} path Behind `/api/v1`.
 * @param {Object<string, any>} [parameters] `undefined` ones are left out.
 * @param {AbortSignal} [signal]
 */
export function get(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, value);
  }
  return ask(path + (query.size ? "?" + query : ""), { signal });
}

export function post(path, content) {
  return ask(path, { method: "POST", body: JSON.stringify(content) });
}

async function ask(path, options, tries = 3) {
  const headers = state ? { "Staffbook-State": state } : {};
  let answer;
  try {
    answer = await fetch("/api/v1" + path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (isAbort(error)) throw error;
    weather.dispatchEvent(new Event("away"));
    throw new Problem(0);
  }
  if (answer.ok) {
    state = answer.headers.get("Staffbook-State") ?? state;
    return answer.json();
  }
  const problem = new Problem(answer.status, await answer.json().catch(() => ({})));
  if (answer.status === 410 && state) {
    // The tables were replaced: the page begins again.
    state = undefined;
    return ask(path, options, tries);
  }
  if ((answer.status === 429 || answer.status === 503) && tries > 1) {
    const seconds = Math.min(Number(answer.headers.get("Retry-After")) || 1, 5);
    await new Promise((done) => setTimeout(done, seconds * 1000));
    options.signal?.throwIfAborted();
    return ask(path, options, tries - 1);
  }
  if (answer.status === 401) {
    weather.dispatchEvent(Object.assign(new Event("signedOut"), { problem }));
  } else if (answer.status >= 502) {
    weather.dispatchEvent(new Event("away"));
  }
  throw problem;
}

const collection = { user: "people", department: "departments" };

/** Where a record is in the interface. */
export const recordPath = (kind, id) => `/${collection[kind]}/${encodeURIComponent(id)}`;

export const card = (kind, id, signal) => get(recordPath(kind, id), {}, signal);

const names = new Map();

/** The name of a person; the id, where nobody of that id is to be seen. */
export function nameOf(id) {
  if (!names.has(id)) {
    if (names.size > 500) names.clear();
    names.set(
      id,
      card("user", id).then(
        (row) => row.name,
        (problem) => {
          if (problem.status !== 404) names.delete(id);
          return null;
        }
      )
    );
  }
  return names.get(id);
}

/** Forgets what another state may answer otherwise. */
export const forgetNames = () => names.clear();

/** Whether the caller may copy lists into files: tokens may be for reading only. */
export const mayCopy = () => !setup.service.may || setup.service.may === "copy";
