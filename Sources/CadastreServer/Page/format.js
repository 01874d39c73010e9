import { isNumber, stringify } from "./json.js";

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

/** Returns a result of an aggregate: an integer with separators and all digits, another number as an estimate. */
export function result(item) {
  if (!isNumber(item)) return value(item);
  const integer = /^(0|-?[1-9]\d*)(\.0)?$/.exec(String(item));
  return integer ? whole.format(BigInt(integer[1])) : estimate(Number(item));
}

/** Coordinates as a predicate has them: longitude first. */
const coordinates = ([longitude, latitude]) => `[${+Number(longitude).toFixed(6)}, ${+Number(latitude).toFixed(6)}]`;

/** Returns the text of a number of a property: all digits of a decimal, and no fraction of an integral double but -0.0. */
const number = (text, type) =>
  type === "decimal" || text === "-0.0" ? text : text.replace(/^(-?\d+)\.0$/, "$1");

/** Returns the text of a value of a type in a table. */
export function value(item, type) {
  if (item === null || item === undefined) return "";
  if (isNumber(item)) return number(String(item), type);
  if (typeof item !== "object") return String(item);
  if (item.type === "Point" && Array.isArray(item.coordinates) && item.coordinates.length >= 2) {
    return coordinates(item.coordinates);
  }
  if (item.type && Array.isArray(item.coordinates)) return item.type;
  return stringify(item);
}
