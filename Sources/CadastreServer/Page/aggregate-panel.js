import { api, Latest } from "./api.js";
import { showAggregate } from "./aggregate.js";
import { byId, element } from "./dom.js";
import { state, update } from "./state.js";

const numeric = new Set(["int", "double", "float", "decimal"]);
const grouped = new Set(["string", "bool", "int", "double", "float", "date", "uuid", "objectId", "decimal"]);

/** The panel with groups by a field. */
export class AggregatePanel {
  #latest = new Latest();
  #onPick;

  /** `onPick(property, value)` adds a condition. */
  constructor(onPick) {
    this.#onPick = onPick;
    byId("group-by").addEventListener("change", (event) => update({ by: event.target.value }));
    byId("group-function").addEventListener("change", (event) => update({ function: event.target.value }));
    byId("group-of").addEventListener("change", (event) => update({ of: event.target.value }));
  }

  /** Offers the fields of a class. */
  showFields(properties) {
    const single = properties.filter(({ collection }) => !collection);
    const options = (types) => single.filter(({ type }) => types.has(type))
      .map(({ name }) => element("option", { value: name }, name));
    byId("group-by").replaceChildren(...options(grouped));
    byId("group-of").replaceChildren(...options(numeric));
  }

  #defaultField(properties) {
    const fields = properties.filter(({ type, collection }) => !collection && grouped.has(type));
    return (fields.find(({ type, indexed, name }) => indexed && type === "string" && name !== this.primaryKey)
      ?? fields.find(({ name }) => name !== this.primaryKey) ?? fields[0])?.name ?? "";
  }

  /** Loads and shows the groups. */
  async load(properties, primaryKey) {
    this.primaryKey = primaryKey;
    const known = properties.some(({ name }) => name === state.by);
    const by = known ? state.by : this.#defaultField(properties);
    byId("group-by").value = by;
    byId("group-function").value = state.function;
    const of = state.of || byId("group-of").options[0]?.value || "";
    byId("group-of").value = of;
    byId("group-of-label").hidden = state.function === "count";
    if (!by) return;
    const place = byId("aggregate-content");
    try {
      const result = await this.#latest.run((signal) => api.aggregate({
        class: state.class, predicate: state.predicate, by, function: state.function,
        of: state.function === "count" ? "" : of, limit: 40,
      }, signal));
      const property = properties.find(({ name }) => name === by);
      if (result) showAggregate(result, property, (value) => this.#onPick(property, value));
    } catch (error) {
      place.replaceChildren(element("p", { class: "problem" }, error.message));
    }
  }
}
