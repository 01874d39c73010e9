import { api, Latest } from "./api.js";
import { state } from "./state.js";
import { wrapLongitude } from "./mercator.js";

/** Half the width of the area that is searched, in pixels. */
const reach = 3;

/** Finds the row of a point on the map. */
export class PlaceFinder {
  #latest = new Latest();
  #found = new Map();

  /** Forgets all rows, after another query or a commit. */
  clear() {
    this.#found.clear();
  }

  /** Returns `{ columns, entry }` of a point, or null. */
  async find(map, point) {
    const known = this.#found.get(point.id);
    if (known) return known;
    const [x, y] = [point.longitude, point.latitude];
    const width = (360 / map.size) * reach;
    const longitude = wrapLongitude(x);
    const result = await this.#latest.run((signal) => api.query({
      class: state.class, predicate: state.predicate, limit: 50,
      bbox: [
        Math.max(-180, longitude - width), Math.max(-90, y - width),
        Math.min(180, longitude + width), Math.min(90, y + width),
      ].join(","),
    }, signal)).catch(() => undefined);
    const entry = result?.rows.find(({ key }) => key === point.id);
    if (!entry) return null;
    const found = { columns: result.columns, entry };
    this.#found.set(point.id, found);
    return found;
  }
}
