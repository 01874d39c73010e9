import { element } from "./dom.js";
import * as format from "./format.js";

const shownFields = 7;

/** Shows a description of the point under the pointer beside it. */
export class Tooltip {
  #place;

  constructor(place) {
    this.#place = place;
  }

  hide() {
    this.#place.hidden = true;
  }

  /** Shows the first fields of a row. */
  showRow(columns, entry, properties, position) {
    const fields = columns
      .map((name, index) => [name, entry.values[index]])
      .filter(([, value]) => value !== null && value !== "")
      .slice(0, shownFields);
    this.#show(element("dl", {}, ...fields.flatMap(([name, value]) => [
      element("dt", {}, name),
      element("dd", {}, format.value(value, properties.find((property) => property.name === name)?.type).slice(0, 80)),
    ])), position);
  }

  /** Shows the number of places of an aggregate, and the value that gives its colour. */
  showPoint(point, field, numeric, position) {
    const lines = [element("strong", {}, point.count > 1 ? `${format.count(point.count)} places` : "1 place")];
    if (field && point.value !== null) {
      const text = typeof point.value === "number" ? format.estimate(point.value) : format.value(point.value);
      const name = point.count > 1 && numeric ? `mean ${field}` : field;
      lines.push(element("div", {}, `${name}: ${text}`));
    }
    if (point.count > 1) lines.push(element("div", { class: "note" }, "Click to zoom in."));
    this.#show(element("div", {}, ...lines), position);
  }

  #show(content, { left, top }) {
    const place = this.#place;
    place.replaceChildren(content);
    place.hidden = false;
    const frame = place.parentElement;
    const flipX = left + 16 + place.offsetWidth > frame.clientWidth;
    const flipY = top + 16 + place.offsetHeight > frame.clientHeight;
    place.style.left = `${Math.max(4, flipX ? left - 14 - place.offsetWidth : left + 14)}px`;
    place.style.top = `${Math.max(4, flipY ? top - 14 - place.offsetHeight : top + 14)}px`;
  }
}
