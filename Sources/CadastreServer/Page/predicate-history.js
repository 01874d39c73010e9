const limit = 50;

/** The predicates that were run, newest first, for one store and class. */
export class PredicateHistory {
  #name;
  #position = -1;
  #draft = "";
  entries = [];

  constructor(store, className) {
    this.#name = `cadastre.history.${store}.${className}`;
    try {
      const stored = JSON.parse(localStorage.getItem(this.#name) ?? "[]");
      if (Array.isArray(stored)) this.entries = stored.filter((entry) => typeof entry === "string");
    } catch {
      // Without storage the history lasts until the page is closed.
    }
  }

  /** Adds a predicate that was run. */
  add(text) {
    this.#position = -1;
    if (text.trim() === "") return;
    this.entries = [text, ...this.entries.filter((entry) => entry !== text)].slice(0, limit);
    try {
      localStorage.setItem(this.#name, JSON.stringify(this.entries));
    } catch {
      // The history then lasts until the page is closed.
    }
  }

  /** Returns the predicate `step` entries further back (or forward, if negative), or null. */
  move(step, current) {
    const next = this.#position + step;
    if (next < -1 || next >= this.entries.length) return null;
    if (this.#position === -1) this.#draft = current;
    this.#position = next;
    return next === -1 ? this.#draft : this.entries[next];
  }
}
