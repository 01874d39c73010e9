// Reads and writes JSON whose numbers keep their text where a double cannot hold it.

/** A number whose text is not that of its double, for example 9007199254740993, -0.0 or the decimal 1.50. */
export class ExactNumber {
  constructor(text) {
    this.text = text;
  }

  valueOf() {
    return Number(this.text);
  }

  toString() {
    return this.text;
  }
}

/** Returns whether a value of `parse` is a number. */
export const isNumber = (value) => typeof value === "number" || value instanceof ExactNumber;

const words = { true: true, false: false, null: null };

/** Returns the value of a JSON text, like JSON.parse; other numbers than doubles become an ExactNumber. */
export function parse(text) {
  const pattern = /[ \t\r\n]*(?:([[\]{}:,])|"([^"\\]*(?:\\.[^"\\]*)*)"|(-?\d[\d.eE+-]*)|(true|false|null))/y;

  const fail = () => {
    throw new SyntaxError("the server sent invalid JSON");
  };

  function list(closing, element) {
    const elements = [];
    for (let token = next(); token[1] !== closing; token = next()) {
      if (elements.length > 0) {
        if (token[1] !== ",") fail();
        token = next();
      }
      elements.push(element(token));
    }
    return elements;
  }

  function next() {
    return pattern.exec(text) ?? fail();
  }

  const string = (content) => content.includes("\\") ? JSON.parse(`"${content}"`) : content;

  function member([, , name]) {
    if (name === undefined || next()[1] !== ":") fail();
    return [string(name), value(next())];
  }

  function value([, sign, content, digits, word]) {
    if (content !== undefined) return string(content);
    if (digits !== undefined) {
      const number = Number(digits);
      return String(number) === digits ? number : new ExactNumber(digits);
    }
    if (word !== undefined) return words[word];
    if (sign === "[") return list("]", value);
    // This also defines a member called __proto__.
    if (sign === "{") return Object.fromEntries(list("}", member));
    return fail();
  }

  const result = value(next());
  if (/\S/.test(text.slice(pattern.lastIndex))) fail();
  return result;
}

/** Returns the JSON text of a value of `parse`. */
export function stringify(value) {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${stringify(item)}`).join(",")}}`;
}
