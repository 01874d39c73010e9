import { api, Latest } from "./api.js";
import { byId } from "./dom.js";
import * as format from "./format.js";
import { state, update } from "./state.js";

/** Loads pages of rows and shows them in the table. */
export class Results {
  total = null;
  columns = [];
  #table;
  #box;
  #latest = new Latest();
  /** The cursors of the pages before this one; the first page has none. */
  #cursors = [""];
  #next = null;
  #properties = () => [];
  #area = () => null;

  /** `properties()` returns the properties of the class, `area()` the bounds of the map. */
  constructor(table, box, { properties, area }) {
    this.#table = table;
    this.#box = box;
    this.#properties = properties;
    this.#area = area;
    byId("page-next").addEventListener("click", () => this.#turn(1));
    byId("page-previous").addEventListener("click", () => this.#turn(-1));
    byId("limit").addEventListener("change", (event) => update({ limit: Number(event.target.value) }));
    byId("in-view").addEventListener("change", (event) => update({ inView: event.target.checked }));
  }

  #turn(step) {
    if (step > 0) this.#cursors.push(this.#next);
    else this.#cursors.pop();
    this.load({ keepPage: true }).then(() => byId("results-scroll").scrollTo({ top: 0 }));
  }

  /** Loads the first page, or this one again; `live` highlights what changed. Returns whether it worked. */
  async load({ keepPage = false, live = false } = {}) {
    if (!keepPage) this.#cursors = [""];
    const place = byId("results-scroll");
    place.setAttribute("aria-busy", "true");
    try {
      const { inView, limit, sort, order, predicate } = state;
      const result = await this.#latest.run((signal) => api.query({
        class: state.class, predicate, sort, order: sort ? order : "", limit,
        cursor: this.#cursors.at(-1), bbox: inView ? this.#area() : null,
      }, signal));
      if (!result) return false;
      this.columns = result.columns;
      this.#next = result.next;
      this.#table.show(result, this.#properties(), { sort, order, live });
      this.#showFigures(result);
      this.#box.showError(null);
      return true;
    } catch (error) {
      this.#box.showError({ message: error.message, offset: error.offset, length: error.length });
      return false;
    } finally {
      place.removeAttribute("aria-busy");
    }
  }

  #showFigures({ total, rows, milliseconds }) {
    this.total = total;
    const first = (this.#cursors.length - 1) * state.limit;
    byId("count").textContent = `${format.count(total)} ${total === 1 ? "object" : "objects"}`;
    byId("time").textContent = format.time(milliseconds);
    byId("range").textContent = rows.length === 0
      ? "No object matches" : `${format.count(first + 1)}–${format.count(first + rows.length)} of ${format.count(total)}`;
    byId("page-next").disabled = !this.#next;
    byId("page-previous").disabled = this.#cursors.length < 2;
  }
}
