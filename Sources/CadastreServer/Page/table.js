import { byId, element } from "./dom.js";
import * as format from "./format.js";

const numeric = new Set(["int", "double", "float", "decimal"]);

/** The rows of a result. Its events are `hover`, `select` and `sort`. */
export class ResultTable extends EventTarget {
  #table = byId("results-table");
  #head = this.#table.tHead;
  #body = this.#table.tBodies[0];
  #pinned = this.#table.tBodies[1];
  #rows = new Map();
  #properties = [];
  #selected = null;
  #hovered = null;

  constructor() {
    super();
    for (const body of [this.#body, this.#pinned]) {
      body.addEventListener("click", (event) => this.#send("select", event));
      body.addEventListener("keydown", (event) => this.#key(event));
    }
    this.#body.addEventListener("pointerover", (event) => this.#send("hover", event));
    this.#table.addEventListener("pointerleave", () =>
      this.dispatchEvent(new CustomEvent("hover", { detail: null })));
    this.#body.addEventListener("focusin", (event) => this.#send("hover", event));
  }

  #send(type, event) {
    const row = event.target.closest("tr");
    const entry = row && this.#entryOf(row);
    if (entry) this.dispatchEvent(new CustomEvent(type, { detail: entry }));
  }

  #entryOf(row) {
    return row.parentElement === this.#pinned ? this.#pinned.entry : this.#rows.get(row.dataset.key)?.entry;
  }

  #key(event) {
    const row = event.target.closest("tr");
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#send("select", event);
    }
    const target = {
      ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling,
      Home: this.#body.firstElementChild, End: this.#body.lastElementChild,
    }[event.key];
    if (!target) return;
    event.preventDefault();
    row.tabIndex = -1;
    target.tabIndex = 0;
    target.focus();
  }

  /** Shows rows; with `live`, cells that differ from the row before are highlighted. */
  show({ columns, rows }, properties, { sort, order, live }) {
    this.#properties = columns.map((name) => properties.find((property) => property.name === name) ?? { name });
    const focused = this.#body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const before = this.#rows;
    this.#showHead(sort, order);
    this.#rows = new Map();
    const elements = rows.map((entry, index) => {
      const previous = live ? before.get(String(entry.key)) : null;
      const row = this.#row(entry, live ? (previous?.entry ?? "new") : null);
      row.tabIndex = index === 0 ? 0 : -1;
      this.#rows.set(String(entry.key), { row, entry });
      return row;
    });
    this.#body.replaceChildren(...elements);
    this.select(this.#selected);
    const again = focused && this.#rows.get(focused)?.row;
    if (again) again.focus();
  }

  #showHead(sort, order) {
    const focused = this.#head.contains(document.activeElement)
      ? document.activeElement.dataset.field : null;
    this.#head.replaceChildren(element("tr", {}, ...this.#properties.map((property) => {
      const direction = property.name === sort ? (order === "desc" ? "descending" : "ascending") : "none";
      const sortable = !property.collection && property.type !== "point" && property.type !== "geometry"
        && property.type !== "object";
      const content = sortable
        ? element("button", {
          type: "button", "data-field": property.name,
          onclick: () => this.dispatchEvent(new CustomEvent("sort", { detail: property.name })),
        }, property.name)
        : element("span", {}, property.name);
      return element("th", {
        scope: "col", "aria-sort": sortable ? direction : null, class: numeric.has(property.type) ? "number" : null,
        title: `${property.type ?? ""}${property.indexed ? ", indexed" : ""}`,
      }, content);
    })));
    if (focused !== null) this.#head.querySelector(`[data-field="${CSS.escape(focused)}"]`)?.focus();
  }

  #row(entry, before) {
    return element("tr", { "data-key": entry.key, "aria-selected": "false" }, ...entry.values.map((value, index) => {
      const property = this.#properties[index] ?? {};
      const text = format.value(value, property.type);
      const changed = before === "new" || (before && format.value(before.values[index], property.type) !== text);
      const classes = [numeric.has(property.type) && "number", value === null && "null", changed && "changed"];
      return element("td", { class: classes.filter(Boolean).join(" ") || null, title: text.length > 24 ? text : null },
        value === null ? "null" : text.slice(0, 400));
    }));
  }

  /** Returns the row of a key on this page. */
  entry(key) {
    return this.#rows.get(String(key))?.entry ?? null;
  }

  /** All rows of this page. */
  get entries() {
    return [...this.#rows.values()].map(({ entry }) => entry);
  }

  /** Marks a row as selected; a row of another page is shown above the table. */
  select(entry, { scroll = false } = {}) {
    this.#rows.get(String(this.#selected?.key))?.row.setAttribute("aria-selected", "false");
    this.#selected = entry;
    const onPage = entry && this.#rows.get(String(entry.key))?.row;
    onPage?.setAttribute("aria-selected", "true");
    if (onPage && scroll) onPage.scrollIntoView({ block: "nearest" });
    this.#pinned.replaceChildren();
    this.#pinned.entry = entry;
    if (entry && !onPage && entry.values.length === this.#properties.length) {
      const row = this.#row(entry, null);
      row.tabIndex = 0;
      row.setAttribute("aria-selected", "true");
      this.#pinned.append(row);
    }
  }

  /** Marks the row under the pointer on the map. */
  hover(key) {
    this.#rows.get(this.#hovered)?.row.classList.remove("hovered");
    this.#hovered = key === null ? null : String(key);
    this.#rows.get(this.#hovered)?.row.classList.add("hovered");
  }
}
