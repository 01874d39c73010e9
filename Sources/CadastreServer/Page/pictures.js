/** Requests pictures of tiles from a worker. A tile keeps its last picture until the next one is drawn. */
export class Pictures {
  #worker = new Worker(new URL("picture-worker.js", import.meta.url), { type: "module" });
  #waiting = new Map();
  #next = 1;
  #onPicture;

  /** Calls `onPicture()` after a picture is drawn. */
  constructor(onPicture) {
    this.#onPicture = onPicture;
    this.#worker.addEventListener("message", ({ data }) => this.#receive(data));
  }

  /** Whether pictures are still being drawn. */
  get isDrawing() {
    return this.#waiting.size > 0;
  }

  /** Requests the picture of a tile, unless it has been requested with the same scale, zoom and pixel ratio. */
  request(entry, scale, zoom, ratio) {
    const { wanted } = entry;
    if (wanted && wanted.scale === scale && wanted.zoom === zoom && wanted.ratio === ratio) return;
    const { tile } = entry;
    const colourIndex = new Uint8Array(tile.x.length);
    for (let index = 0; index < colourIndex.length; index += 1) {
      colourIndex[index] = scale.index(tile.value ? tile.value[index] : null, tile.count[index]);
    }
    const request = this.#next++;
    entry.wanted = { scale, zoom, ratio, request };
    this.#waiting.set(request, entry);
    const { x, y, count, shapes } = tile;
    this.#worker.postMessage({ request, x, y, count, shapes, colourIndex, colours: scale.colours, zoom, ratio });
  }

  #receive({ request, picture }) {
    const entry = this.#waiting.get(request);
    this.#waiting.delete(request);
    if (entry.wanted.request !== request) return picture.close();
    entry.picture?.close();
    entry.picture = picture;
    this.#onPicture();
  }
}
