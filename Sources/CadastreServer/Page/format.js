const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** Returns a number of objects with separators. */
export const count = (number) => whole.format(number);

/** Returns an estimate with three significant digits. */
export const estimate = (number) =>
  number === null || number === undefined ? "–" : short.format(number);

/** Returns a time in milliseconds with a unit. */
export const time = (number) =>
  number === null || number === undefined ? "–" : `${number < 10 ? number.toFixed(2) : count(number)} ms`;

/** Coordinates as a predicate has them: longitude first. */
const coordinates = ([longitude, latitude]) => `[${+longitude.toFixed(6)}, ${+latitude.toFixed(6)}]`;

/** Returns the text of a value in a table. */
export function value(item) {
  if (item === null || item === undefined) return "";
  if (typeof item === "number") return Number.isInteger(item) ? String(item) : String(+item.toPrecision(12));
  if (typeof item !== "object") return String(item);
  if (item.type === "Point" && Array.isArray(item.coordinates) && item.coordinates.length >= 2) {
    return coordinates(item.coordinates);
  }
  if (item.type && Array.isArray(item.coordinates)) return item.type;
  return JSON.stringify(item);
}
