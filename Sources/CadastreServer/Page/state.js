// The state of the page is in the fragment of its address: a copied address shows the same.

/** The fields of the state, with the value that is left out of the address. */
const defaults = {
  class: "", predicate: "", sort: "", order: "asc", limit: 100, view: "", inView: false,
  colour: "", by: "", function: "count", of: "", panel: "results", selected: "",
};

const listeners = new Set();

function read() {
  const values = new URLSearchParams(location.hash.slice(1));
  const result = { ...defaults };
  for (const [name, fallback] of Object.entries(defaults)) {
    if (!values.has(name)) continue;
    const text = values.get(name);
    if (typeof fallback === "boolean") result[name] = text === "true";
    else if (typeof fallback === "number") result[name] = Number(text) || fallback;
    else result[name] = text;
  }
  return result;
}

function fragment() {
  const values = new URLSearchParams();
  for (const [name, fallback] of Object.entries(defaults)) {
    if (state[name] !== fallback) values.set(name, String(state[name]));
  }
  return `#${values}`;
}

/** The current state. Change it with `update`. */
export const state = read();

/**
 * Changes the state and its address, and calls the listeners with the names that changed.
 * `step` adds an entry to the history of the browser.
 */
export function update(changes, { step = false } = {}) {
  const changed = new Set(Object.keys(changes).filter((name) => state[name] !== changes[name]));
  if (changed.size === 0) return changed;
  Object.assign(state, changes);
  history[step ? "pushState" : "replaceState"](null, "", fragment());
  for (const listener of listeners) listener(changed);
  return changed;
}

/** Calls `listener` with a set of names after each change. */
export const onStateChange = (listener) => listeners.add(listener);

addEventListener("popstate", () => {
  const next = read();
  const changed = new Set(Object.keys(next).filter((name) => state[name] !== next[name]));
  Object.assign(state, next);
  for (const listener of listeners) listener(changed);
});
