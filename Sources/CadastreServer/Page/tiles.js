/** Tiles in memory; a picture of a tile has about 1 MB, and a screen of 4k shows up to 80 tiles. */
const capacity = 128;
const connections = 6;

/** A cache of decoded tiles of one source (class, predicate, coloured property and version). */
export class Tiles {
  #worker = new Worker(new URL("tile-worker.js", import.meta.url), { type: "module" });
  #entries = new Map();
  #queue = [];
  #running = 0;
  #address = null;
  #property = "";
  #generation = 0;
  #previous = new Map();
  #onLoad;

  /** Calls `onLoad(entry, previous)` after a tile is loaded; `previous` is the tile it replaces. */
  constructor(onLoad) {
    this.#onLoad = onLoad;
    this.#worker.addEventListener("message", ({ data }) => this.#receive(data));
  }

  /**
   * Uses another source. With `keep`, tiles of the source before are shown until theirs are loaded.
   */
  setSource(address, property, { keep }) {
    for (const [key, entry] of this.#entries) {
      if (entry.state === "loading") this.#worker.postMessage({ cancel: key });
    }
    this.#previous = new Map();
    if (keep) {
      for (const entry of this.#entries.values()) {
        const name = `${entry.z}/${entry.x}/${entry.y}`;
        const shown = entry.state === "ready" ? entry : entry.previous;
        if (shown) this.#previous.set(name, shown);
      }
    }
    this.#entries.clear();
    this.#queue = [];
    this.#address = address;
    this.#property = property;
    this.#generation += 1;
  }

  /** Whether tiles are still being loaded. */
  get isLoading() {
    return this.#running > 0 || this.#queue.length > 0;
  }

  /** All loaded tiles. */
  ready() {
    return [...this.#entries.values()].filter((entry) => entry.state === "ready");
  }

  /** Returns a tile if it is loaded, and requests it otherwise. */
  get(z, x, y) {
    if (!this.#address) return null;
    const key = `${this.#generation}:${z}/${x}/${y}`;
    let entry = this.#entries.get(key);
    if (!entry) {
      const previous = this.#previous.get(`${z}/${x}/${y}`) ?? null;
      entry = { key, z, x, y, state: "waiting", tile: null, previous };
      this.#entries.set(key, entry);
      this.#queue.push(entry);
      this.#start();
    } else {
      // The order of the map is the order of use.
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.state === "ready" ? entry : entry.previous;
  }

  /** Returns a loaded tile without requesting it. */
  peek(z, x, y) {
    const entry = this.#entries.get(`${this.#generation}:${z}/${x}/${y}`);
    return entry?.state === "ready" ? entry : null;
  }

  /** Drops requests that have not started, except for the tiles in `wanted` (keys `z/x/y`). */
  keepOnly(wanted) {
    this.#queue = this.#queue.filter((entry) => {
      if (wanted.has(`${entry.z}/${entry.x}/${entry.y}`)) return true;
      this.#entries.delete(entry.key);
      return false;
    });
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= capacity) break;
      if (entry.state === "loading") continue;
      entry.picture?.close();
      this.#entries.delete(key);
    }
  }

  #start() {
    while (this.#running < connections && this.#queue.length > 0) {
      const entry = this.#queue.shift();
      entry.state = "loading";
      this.#running += 1;
      this.#worker.postMessage({
        key: entry.key, address: this.#address(entry.z, entry.x, entry.y), property: this.#property,
      });
    }
  }

  #receive({ key, tile, error }) {
    this.#running -= 1;
    this.#start();
    const entry = this.#entries.get(key);
    if (!entry) return;
    if (error) {
      // The next drawing requests it again, but not at once.
      entry.state = "failed";
      setTimeout(() => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
        this.#onLoad(null, null);
      }, 3000);
      return;
    }
    const { previous } = entry;
    // The picture of the tile before is shown until the new one is drawn.
    Object.assign(entry, { state: "ready", tile, previous: null, picture: previous?.picture });
    if (previous) previous.picture = null;
    this.#onLoad(entry, previous);
  }
}
