// Reads the part of Mapbox Vector Tiles 2.1 that the server writes: one layer of points.

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

function readFeature(reader, points) {
  const feature = { id: 0, tags: [], x: 0, y: 0, type: 0 };
  while (reader.more) {
    const [field, wire] = reader.tag();
    if (field === 1) feature.id = reader.varint();
    else if (field === 2) {
      const part = reader.part();
      while (part.more) feature.tags.push(part.varint());
    } else if (field === 3) feature.type = reader.varint();
    else if (field === 4) {
      const part = reader.part();
      part.varint();
      feature.x = unzigzag(part.varint());
      feature.y = unzigzag(part.varint());
    } else reader.skip(wire);
  }
  points.push(feature);
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
 * Decodes a tile into columns: x and y from 0 to 1 across the tile, ids, counts, and the values of
 * `property` (null where a point has none).
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
    count: new Uint32Array(total), value: property ? new Array(total).fill(null) : null,
  };
  let index = 0;
  for (const layer of layers) {
    for (const feature of layer.features) {
      tile.x[index] = feature.x / layer.extent;
      tile.y[index] = feature.y / layer.extent;
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
