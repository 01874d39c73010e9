import { isDark } from "./theme.js";

// Each ramp starts near the background and ends with the highest contrast, in the order of luminance.
const ramps = {
  light: ["#7fbfc4", "#46a3c0", "#2b82b8", "#2d5fa6", "#31408c", "#2b1f63"],
  dark: ["#39609c", "#3a83b5", "#3fa7b5", "#62c8a2", "#a6e283", "#f6f58a"],
};
const categories = {
  light: ["#1f6fb4", "#d3560b", "#2c8a3d", "#b02a7c", "#7a5cc2", "#a8791a", "#0d8a8f", "#c23b3b", "#5b6470"],
  dark: ["#6cb6ff", "#ff9f5a", "#6fd17f", "#f488c6", "#b8a1ff", "#e3c05c", "#5fd6d6", "#ff8a8a", "#aab4c0"],
};
// Shades for 1, more than 1, more than 8 and more than 64 places in a dot.
const density = {
  light: ["#4f96d3", "#2a76bd", "#1b5794", "#123a66"],
  dark: ["#3f7fc0", "#5aa2e6", "#93c7fa", "#d6ebff"],
};
const other = { light: "#8b95a1", dark: "#6d7885" };

const theme = () => (isDark() ? "dark" : "light");

/** A scale with one colour, whose shade follows the number of places in a dot. */
export const plainScale = () => ({
  kind: "plain",
  colours: density[theme()],
  index: (value, count) => (count > 64 ? 3 : count > 8 ? 2 : count > 1 ? 1 : 0),
});

/** Returns a scale of classes with about equal numbers of values, or null without values. */
export function numericScale(values) {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return null;
  const colours = ramps[theme()];
  const breaks = [];
  for (let step = 1; step < colours.length; step += 1) {
    const limit = sorted[Math.floor((step * sorted.length) / colours.length)];
    if (limit > (breaks.at(-1) ?? sorted[0])) breaks.push(limit);
  }
  return {
    kind: "numeric",
    breaks,
    first: sorted[0],
    last: sorted.at(-1),
    colours: [...colours.slice(colours.length - breaks.length - 1), other[theme()]],
    index(value) {
      if (typeof value !== "number") return breaks.length + 1;
      let class_ = 0;
      while (class_ < breaks.length && value >= breaks[class_]) class_ += 1;
      return class_;
    },
  };
}

/** Returns a scale with a colour for each of the given values, and one for all others. */
export function categoryScale(values) {
  const known = values.slice(0, categories.light.length - 1);
  const places = new Map(known.map((value, index) => [value, index]));
  return {
    kind: "category",
    values: known,
    colours: [...categories[theme()].slice(0, known.length), other[theme()]],
    index: (value) => places.get(value) ?? known.length,
  };
}
