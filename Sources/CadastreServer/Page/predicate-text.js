// Reads and changes the text of a predicate: tokens for colours, regions for the map, conditions.
import { isNumber } from "./json.js";

const keywords = new Set(
  ("AND OR NOT ANY SOME ALL NONE IN BETWEEN BEGINSWITH ENDSWITH CONTAINS LIKE MATCHES TEXT IS NULL "
    + "GEOWITHIN GEOINTERSECTS GEODISJOINT GEOCONTAINS GEOEQUALS GEOTOUCHES GEOCROSSES GEOOVERLAPS GEODISTANCE NIL TRUE FALSE TRUEPREDICATE FALSEPREDICATE SUBQUERY SORT DISTINCT LIMIT ASC DESC").split(" "));
const functions = /^(geoCircle|geoBox|geoPolygon|geometry|oid|uuid|decimal|binary|obj)$/i;
const pattern =
  /(?<string>'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?)|(?<number>-?\b\d[\d.]*(?:[eE][+-]?\d+)?\s?(?:km|mi|m|deg|rad)?\b)|(?<word>(?:[\p{L}_@$]|\\.)(?:[\p{L}\p{N}_.@-]|\\.)*)|(?<symbol>[^\s])/gu;

/** Returns the tokens of a predicate: `{ kind, start, end, text }`. */
export function tokens(text) {
  return [...text.matchAll(pattern)].map((match) => {
    const { string, number, word } = match.groups;
    let kind = "symbol";
    if (string) kind = "string";
    else if (number) kind = "number";
    else if (word) {
      if (keywords.has(word.toUpperCase())) kind = "keyword";
      else kind = functions.test(word) ? "function" : "name";
    }
    return { kind, start: match.index, end: match.index + match[0].length, text: match[0] };
  });
}

/** Returns the text of a property's name: other characters than letters and digits are escaped. */
export function fieldText(name) {
  const escaped = name.replace(/[^\p{L}\p{N}_]/gu, "\\$&").replace(/^\d/, "\\$&");
  return keywords.has(name.toUpperCase()) ? `\\${escaped}` : escaped;
}

/** Returns the literal of a value of a property. */
export function literal(value, type) {
  if (value === null || value === undefined) return "NULL";
  const text = String(value);
  if (type === "decimal") return `decimal(${text})`;
  if (isNumber(value) || typeof value === "boolean") return text;
  // Infinity and NaN, which JSON does not have.
  if (type === "double" || type === "float") return text;
  if (type === "uuid") return `uuid(${text})`;
  if (type === "objectId") return `oid(${text})`;
  const escaped = text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t");
  return `'${escaped}'`;
}

/** Returns the offset of a trailing SORT, DISTINCT or LIMIT, or the length of the text. */
function conditionEnd(text) {
  const all = tokens(text);
  let depth = 0;
  for (const [index, token] of all.entries()) {
    if ("([{".includes(token.text)) depth += 1;
    if (")]}".includes(token.text)) depth -= 1;
    const opens = all[index + 1]?.text === "(";
    if (depth === 0 && opens && index > 0 && /^(SORT|DISTINCT|LIMIT)$/i.test(token.text)) return token.start;
  }
  return text.length;
}

const matchesAll = (text) => /^\s*(TRUEPREDICATE)?\s*$/i.test(text);

function hasTopLevelOr(text) {
  let depth = 0;
  return tokens(text).some(({ text: part }) => {
    if (part === "(") depth += 1;
    if (part === ")") depth -= 1;
    return depth === 0 && (/^OR$/i.test(part) || part === "|");
  });
}

/** Returns the predicate with a further condition. */
export function withCondition(text, condition) {
  const end = conditionEnd(text);
  const [head, tail] = [text.slice(0, end).trim(), text.slice(end)];
  const rest = tail ? ` ${tail}` : "";
  if (matchesAll(head)) return condition + rest;
  return `${hasTopLevelOr(head) ? `(${head})` : head} AND ${condition}${rest}`;
}

const number = String.raw`\s*-?\d[\d.]*(?:[eE][+-]?\d+)?\s*`;
const point = String.raw`\s*\[${number},${number}(?:,${number})?\]\s*`;
const regionPattern = new RegExp(
  String.raw`((?:[\p{L}\p{N}_.]|\\.)+)\s+GEOWITHIN\s*(\[\w+\])?\s*`
  + String.raw`(geoCircle\s*\(${point},${number}(?:km|mi|m|deg|rad)?\s*\)`
  + String.raw`|geoBox\s*\(${point},${point}\)`
  + String.raw`|geoPolygon\s*\((?:\s*\{(?:${point},?)+\}\s*,?)+\))`, "giu");

const metres = { km: 1000, m: 1, mi: 1609.344 };

function radiusInRadians(text, earthRadius) {
  const [, amount, unit] = /(-?[\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*\)$/i.exec(text);
  const name = unit.toLowerCase();
  if (metres[name]) return (Number(amount) * metres[name]) / earthRadius;
  return name === "deg" ? (Number(amount) * Math.PI) / 180 : Number(amount);
}

const points = (text) =>
  [...text.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1].split(",").slice(0, 2).map(Number));

/**
 * Returns the regions in a predicate: `{ field, planar, kind, start, end }` with `center` and `radius`
 * (radians), `corners`, or `rings`.
 */
export function regions(text, earthRadius) {
  return [...text.matchAll(regionPattern)].map((match) => {
    const [whole, field, option, body] = match;
    const kind = /^geo(circle|box|polygon)/i.exec(body)[1].toLowerCase();
    const region = {
      field, kind, planar: /planar/i.test(option ?? ""), start: match.index, end: match.index + whole.length,
    };
    if (kind === "circle") {
      region.center = points(body)[0];
      region.radius = radiusInRadians(body, earthRadius);
    } else if (kind === "box") region.corners = points(body);
    else region.rings = [...body.matchAll(/\{([^}]*)\}/g)].map((ring) => points(ring[1]));
    return region;
  });
}

/** Returns the range of the region on `field` that drawing replaces, or null. */
function regionRange(text, field, earthRadius) {
  const [first, second] = regions(text, earthRadius).filter((region) => region.field === field);
  if (!first) return null;
  // A box across 180 degrees is written as two boxes in parentheses.
  if (second && /^\s*OR\s*$/i.test(text.slice(first.end, second.start))) {
    const before = /\(\s*$/.exec(text.slice(0, first.start));
    const after = /^\s*\)/.exec(text.slice(second.end));
    if (before && after) return [before.index, second.end + after[0].length];
  }
  return [first.start, first.end];
}

/** Returns the predicate whose region on `field` is replaced, or added where there is none. */
export function withRegion(text, field, condition, earthRadius) {
  const range = regionRange(text, field, earthRadius);
  return range
    ? text.slice(0, range[0]) + condition + text.slice(range[1])
    : withCondition(text, condition);
}

/** Returns the predicate without the region on `field`. */
export function withoutRegion(text, field, earthRadius) {
  const range = regionRange(text, field, earthRadius);
  if (!range) return text;
  const [before, after] = [text.slice(0, range[0]), text.slice(range[1])];
  if (/\bAND\s*$/i.test(before)) return (before.replace(/\s*\bAND\s*$/i, "") + after).trim();
  if (/^\s*AND\b/i.test(after)) return (before + after.replace(/^\s*AND\s*/i, "")).trim();
  return matchesAll(before) && matchesAll(after) ? "" : `${before}TRUEPREDICATE${after}`;
}

const degrees = (value) => String(+value.toFixed(6));
const pair = ([longitude, latitude]) => `[${degrees(longitude)}, ${degrees(latitude)}]`;

/** Returns the condition of a circle; the radius is in metres and is written in kilometres or metres. */
export function circleCondition(field, center, radius) {
  const amount = radius >= 10_000 ? `${+(radius / 1000).toPrecision(4)} km` : `${Math.max(1, Math.round(radius))} m`;
  return `${field} GEOWITHIN geoCircle(${pair(center)}, ${amount})`;
}

/** Returns the condition of a box whose edges are parallels and meridians, as a map shows them. */
export function boxCondition(field, [west, south], [east, north]) {
  const box = (w, e) => `${field} GEOWITHIN[planar] geoBox(${pair([w, south])}, ${pair([e, north])})`;
  return west <= east ? box(west, east) : `(${box(west, 180)} OR ${box(-180, east)})`;
}

/** Returns the condition of a polygon with great circles as edges; the ring is open. */
export function polygonCondition(field, ring) {
  return `${field} GEOWITHIN geoPolygon({${[...ring, ring[0]].map(pair).join(", ")}})`;
}
