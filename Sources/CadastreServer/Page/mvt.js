// Reads the part of Mapbox Vector Tiles 2.1 that the server writes: one layer of points, lines or polygons.
import { boundsOf } from "./shapes.js";

class Reader {
  constructor(bytes, start = 0, end = bytes.length) {
    Object.assign(this, { bytes, position: start, end });
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get more() {
    return this.position < this.end;
  }

  varint() {
    let result = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.position++];
      result += (byte & 127) * scale;
      if (byte < 128) return result;
      scale *= 128;
      if (this.position >= this.end) throw new Error("a number of the tile is cut off");
    }
  }

  tag() {
    const tag = this.varint();
    return [tag >>> 3, tag & 7];
  }

  part() {
    const length = this.varint();
    const start = this.position;
    this.position += length;
    if (this.position > this.end) throw new Error("the tile is cut off");
    return new Reader(this.bytes, start, this.position);
  }

  text() {
    const part = this.part();
    return new TextDecoder().decode(part.bytes.subarray(part.position, part.end));
  }

  skip(wire) {
    if (wire === 0) this.varint();
    else if (wire === 1) this.position += 8;
    else if (wire === 2) this.part();
    else if (wire === 5) this.position += 4;
    else throw new Error(`wire type ${wire} of the tile is unknown`);
  }
}

const unzigzag = (number) => (number % 2 === 1 ? -(number + 1) / 2 : number / 2);

function readValue(reader) {
  let value = null;
  while (reader.more) {
    const [field, wire] = reader.tag();
    if (field === 1) value = reader.text();
    else if (field === 2) {
      value = reader.view.getFloat32(reader.position, true);
      reader.position += 4;
    } else if (field === 3) {
      value = reader.view.getFloat64(reader.position, true);
      reader.position += 8;
    } else if (field === 4 || field === 5) value = reader.varint();
    else if (field === 6) value = unzigzag(reader.varint());
    else if (field === 7) value = reader.varint() !== 0;
    else reader.skip(wire);
  }
  return value;
}

const [point, polygon] = [1, 3];
const closePath = 7;
const moveTo = 1;

/** Returns the paths of a geometry: coordinates in units of the tile, x and y in turn. */
function readPaths(reader) {
  const paths = [];
  let [x, y] = [0, 0];
  while (reader.more) {
    const command = reader.varint();
    if ((command & 7) === closePath) continue;
    for (let left = Math.floor(command / 8); left > 0; left -= 1) {
      if (!reader.more) throw new Error("a geometry of the tile is cut off");
      x += unzigzag(reader.varint());
      y += unzigzag(reader.varint());
      if ((command & 7) === moveTo) paths.push([]);
      paths.at(-1)?.push(x, y);
    }
  }
  return paths;
}

function readFeature(reader, features) {
  const feature = { id: 0, tags: [], type: 0, paths: [] };
  while (reader.more) {
    const [field, wire] = reader.tag();
    if (field === 1) feature.id = reader.varint();
    else if (field === 2) {
      const part = reader.part();
      while (part.more) feature.tags.push(part.varint());
    } else if (field === 3) feature.type = reader.varint();
    else if (field === 4) {
      feature.paths = readPaths(reader.part());
    } else reader.skip(wire);
  }
  features.push(feature);
}

function readLayer(reader) {
  const layer = { keys: [], values: [], features: [], extent: 4096 };
  while (reader.more) {
    const [field, wire] = reader.tag();
    if (field === 2) readFeature(reader.part(), layer.features);
    else if (field === 3) layer.keys.push(reader.text());
    else if (field === 4) layer.values.push(readValue(reader.part()));
    else if (field === 5) layer.extent = reader.varint();
    else reader.skip(wire);
  }
  return layer;
}

/**
 * Decodes a tile into columns: x and y from 0 to 1 across the tile (of a shape: of its middle), ids, counts, the values
 * of `property` (null where a feature has none), and shapes (null without lines and polygons; null for a point).
 */
export function decodeTile(buffer, property) {
  const reader = new Reader(new Uint8Array(buffer));
  const layers = [];
  while (reader.more) {
    const [field, wire] = reader.tag();
    if (field === 3) layers.push(readLayer(reader.part()));
    else reader.skip(wire);
  }
  const total = layers.reduce((sum, layer) => sum + layer.features.length, 0);
  const tile = {
    x: new Float32Array(total), y: new Float32Array(total), id: new Float64Array(total),
    count: new Uint32Array(total), value: property ? new Array(total).fill(null) : null, shapes: null,
  };
  let index = 0;
  for (const layer of layers) {
    for (const feature of layer.features) {
      const paths = feature.paths.map((path) => Float32Array.from(path, (number) => number / layer.extent));
      const bounds = boundsOf(paths);
      tile.x[index] = (bounds[0] + bounds[2]) / 2;
      tile.y[index] = (bounds[1] + bounds[3]) / 2;
      if (feature.type !== point) {
        tile.shapes ??= new Array(total).fill(null);
        tile.shapes[index] = { isArea: feature.type === polygon, paths, bounds };
      }
      tile.id[index] = feature.id;
      tile.count[index] = 1;
      for (let tag = 0; tag + 1 < feature.tags.length; tag += 2) {
        const key = layer.keys[feature.tags[tag]];
        const value = layer.values[feature.tags[tag + 1]];
        // A property of the class may also be called count; the aggregate precedes it.
        if (key === "count" && property !== "count") tile.count[index] = value;
        else if (key === property) tile.value[index] = value;
      }
      index += 1;
    }
  }
  return tile;
}
