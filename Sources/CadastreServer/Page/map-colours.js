import { api, Latest } from "./api.js";
import { categoryScale, numericScale, plainScale } from "./colours.js";
import { byId, element } from "./dom.js";
import { showLegend } from "./legend.js";
import { state, update } from "./state.js";
import { onThemeChange } from "./theme.js";

const numeric = new Set(["int", "double", "float"]);
const categorical = new Set(["string", "bool", "uuid", "objectId"]);

/** Chooses the colours of the points by the values of a field, and shows the legend. */
export class MapColours {
  #map;
  #latest = new Latest();
  #property = null;
  #remake = () => plainScale();
  #waiting = false;

  constructor(map) {
    this.#map = map;
    byId("colour-by").addEventListener("change", (event) => update({ colour: event.target.value }));
    // The classes of a numeric scale follow the tiles that are loaded first.
    map.addEventListener("loaded", () => this.#waiting && this.#measure());
    map.addEventListener("moved", () => this.#waiting && this.#measure());
    onThemeChange(() => this.#apply());
  }

  /** Whether the field of the colours is a number. */
  get isNumeric() {
    return numeric.has(this.#property?.type);
  }

  /** Offers the fields of a class. */
  showFields(properties) {
    const fields = properties.filter(({ type, collection }) =>
      !collection && (numeric.has(type) || categorical.has(type)));
    byId("colour-by").replaceChildren(
      element("option", { value: "" }, "one colour"),
      ...fields.map(({ name }) => element("option", { value: name }, name)));
    byId("colour-by").value = state.colour;
  }

  /** Makes the scale again, after another field, predicate or class. */
  async update(properties) {
    byId("colour-by").value = state.colour;
    this.#property = properties.find(({ name }) => name === state.colour) ?? null;
    this.#waiting = false;
    if (!this.#property) {
      this.#use(() => plainScale());
    } else if (this.isNumeric) {
      this.#waiting = true;
      this.#measure();
    } else {
      const result = await this.#latest.run((signal) => api.aggregate({
        class: state.class, predicate: state.predicate, by: state.colour, function: "count", limit: 8,
      }, signal)).catch(() => undefined);
      if (result) this.#use(() => categoryScale(result.groups.map(({ value }) => value)));
    }
  }

  #measure() {
    const values = [];
    for (const { tile } of this.#map.tiles.ready()) {
      for (const value of tile.value ?? []) if (typeof value === "number") values.push(value);
    }
    if (values.length === 0) return;
    if (!this.#map.tiles.isLoading) this.#waiting = false;
    this.#use(() => numericScale(values));
  }

  #use(make) {
    this.#remake = make;
    this.#apply();
  }

  #apply() {
    const scale = this.#remake();
    if (!scale) return;
    this.#map.scale = scale;
    showLegend(byId("legend"), state.colour, scale);
    this.#map.draw();
  }
}
