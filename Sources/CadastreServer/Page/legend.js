import { element } from "./dom.js";
import * as format from "./format.js";

function swatch(colour) {
  const canvas = element("canvas", { width: 12, height: 12, "aria-hidden": "true", class: "swatch" });
  const context = canvas.getContext("2d");
  context.fillStyle = colour;
  context.beginPath();
  context.arc(6, 6, 5, 0, 2 * Math.PI);
  context.fill();
  return canvas;
}

const item = (colour, text) => element("li", {}, swatch(colour), element("span", {}, text));

function entries(scale) {
  if (scale.kind === "category") {
    return [
      ...scale.values.map((value, index) => [scale.colours[index], value === null ? "no value" : format.value(value)]),
      [scale.colours.at(-1), "other"],
    ];
  }
  const limits = [scale.first, ...scale.breaks, scale.last];
  return limits.slice(0, -1).map((limit, index) =>
    [scale.colours[index], `${format.estimate(limit)} – ${format.estimate(limits[index + 1])}`]);
}

/** Shows what the colours on the map mean. */
export function showLegend(place, field, scale) {
  place.hidden = scale.kind === "plain";
  if (place.hidden) return;
  place.replaceChildren(
    element("h3", {}, field),
    element("ul", {}, ...entries(scale).map(([colour, text]) => item(colour, text))));
}
