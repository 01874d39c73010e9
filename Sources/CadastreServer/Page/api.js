import { parse } from "./json.js";

/** An error that the server reports, with the place in the predicate if it has one. */
export class ServerError extends Error {
  constructor(status, { code = "error", message = `status ${status}`, offset, length } = {}) {
    super(message);
    Object.assign(this, { status, code, offset, length });
  }
}

function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

async function get(path, parameters, signal) {
  const response = await fetch(address(path, parameters), {
    signal,
    headers: { Accept: "application/json" },
  });
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw new ServerError(response.status, body.error);
  }
  return parse(await response.text());
}

/** The routes of the server; all are relative to the page. */
export const api = {
  store: () => get("explorer/store"),
  check: (parameters, signal) => get("explorer/check", parameters, signal),
  complete: (parameters, signal) => get("explorer/complete", parameters, signal),
  query: (parameters, signal) => get("explorer/query", parameters, signal),
  explain: (parameters, signal) => get("explorer/explain", parameters, signal),
  aggregate: (parameters, signal) => get("explorer/aggregate", parameters, signal),
  downloadAddress: (parameters) => address("explorer/download", parameters),
  tileAddress: ({ class: name, predicate, property, version }) => {
    const suffix = address("", {
      filter: predicate,
      "filter-lang": predicate ? "cadastre" : "",
      properties: property,
      version,
    });
    const folder = new URL(
      `collections/${encodeURIComponent(name)}/tiles/WebMercatorQuad/`, document.baseURI);
    return (z, x, y) => `${folder}${z}/${y}/${x}${suffix}`;
  },
};

/** Keeps the newest request of a kind: starting another one cancels it. */
export class Latest {
  #controller = null;

  /** Runs `body` with a signal, and returns undefined if a later run replaced it. */
  async run(body) {
    this.#controller?.abort();
    const controller = (this.#controller = new AbortController());
    try {
      const result = await body(controller.signal);
      return controller.signal.aborted ? undefined : result;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }
}
