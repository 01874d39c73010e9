import CadastreGeometry

/// A geometry of a FlatGeobuf feature.
struct FlatGeobufGeometry {
  /// The type; the codes are those of well-known binary.
  let type: UInt8
  /// The coordinates: x and y of each point.
  let xy: [Double]
  /// The altitudes of the points; empty if there are none.
  let z: [Double]
  /// The number of points up to the end of each ring or line; empty for a single one.
  let ends: [Int]
  let parts: [FlatGeobufGeometry]

  /// The code of a geometry collection, the greatest code of a simple feature.
  static let collection: UInt8 = 7

  private static let maximumDepth = 32

  /// Creates a geometry from its contents.
  init(
    type: UInt8, xy: [Double] = [], z: [Double] = [], ends: [Int] = [],
    parts: [FlatGeobufGeometry] = []
  ) {
    (self.type, self.xy, self.z, self.ends, self.parts) = (type, xy, z, ends, parts)
  }

  /// Parses a geometry.
  ///
  /// - Parameters:
  ///   - buffer: The buffer of the feature.
  ///   - table: The table of the geometry.
  ///   - type: The type in the header or of the collection; 0 if the table of the geometry states the type.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  init(
    _ buffer: FlatBuffer, _ table: FlatBuffer.Table, type: UInt8
  ) throws(ColumnarError) {
    // Parts that share coordinates would take much more memory than the feature.
    var left = buffer.bytes.count
    try self.init(buffer, table, type: type, depth: 0, &left)
  }

  private init(
    _ buffer: FlatBuffer, _ table: FlatBuffer.Table, type: UInt8, depth: Int, _ left: inout Int
  ) throws(ColumnarError) {
    left -= 1
    guard depth < Self.maximumDepth, left >= 0 else {
      throw buffer.corrupt(
        table.position, "nested geometries",
        expected: "at most \(Self.maximumDepth) levels, and parts of their own")
    }
    self.type = type != 0 ? type : try buffer.integer(6, of: table, default: 0)
    xy = try Self.doubles(buffer, 1, table)
    z = try Self.doubles(buffer, 2, table)
    left -= 8 * (xy.count + z.count)
    guard left >= 0 else {
      throw buffer.corrupt(
        table.position, "parts with the same coordinates", expected: "parts of their own")
    }
    guard xy.count & 1 == 0, z.isEmpty || z.count >= xy.count / 2 else {
      throw buffer.corrupt(
        table.position, "\(xy.count) coordinates and \(z.count) altitudes",
        expected: "two coordinates and an altitude for each point")
    }
    var ends: [Int] = []
    if let vector = try buffer.vector(0, of: table, elementBytes: 4) {
      for index in 0..<vector.count {
        let end = Int(buffer.bytes.word(at: vector.start + 4 * index, as: UInt32.self))
        guard end >= ends.last ?? 0, end <= xy.count / 2 else {
          throw buffer.corrupt(
            vector.start, "a ring that ends at point \(end)",
            expected: "ascending ends up to \(xy.count / 2)")
        }
        ends.append(end)
      }
    }
    self.ends = ends
    var parts: [FlatGeobufGeometry] = []
    if let vector = try buffer.vector(7, of: table, elementBytes: 4) {
      for index in 0..<vector.count {
        parts.append(
          try FlatGeobufGeometry(
            buffer, try buffer.table(index, in: vector), type: self.type == 6 ? 3 : 0,
            depth: depth + 1, &left))
      }
    }
    self.parts = parts
  }

  private static func doubles(
    _ buffer: FlatBuffer, _ slot: Int, _ table: FlatBuffer.Table
  ) throws(ColumnarError) -> [Double] {
    guard let vector = try buffer.vector(slot, of: table, elementBytes: 8) else { return [] }
    return (0..<vector.count).map { buffer.double($0, in: vector) }
  }

  private static let names = [
    "geometry of unknown type", "Point", "LineString", "Polygon", "MultiPoint",
    "MultiLineString", "MultiPolygon", "GeometryCollection",
  ]

  /// Returns the name of a type for messages.
  static func name(of type: UInt8) -> String {
    Int(type) < names.count ? names[Int(type)] : "geometry of type \(type)"
  }
}

extension FlatGeobufGeometry {
  /// Returns the geometry; nil if it is empty.
  ///
  /// - Throws: ``GeometryProblem`` for an unknown type, coordinates out of range, short lines and
  ///   rings that are not closed.
  /// - Complexity: O(n) in the number of positions.
  func geometry(
    _ conversion: GeometryConversion? = nil
  ) throws(GeometryProblem) -> Geometry? {
    try Geometry.unlessEmpty(try shape(conversion), conversion)
  }

  private func shape(
    _ conversion: GeometryConversion?
  ) throws(GeometryProblem) -> Geometry.Shape {
    switch type {
    case 1:
      let isEmpty = xy.isEmpty || xy[0].isNaN && xy[1].isNaN
      return .point(isEmpty ? nil : try position(0, conversion))
    case 2: return .lineString(try positions(0..<xy.count / 2, conversion))
    case 3: return .polygon(try lines(conversion))
    case 4: return .multiPoint(try positions(0..<xy.count / 2, conversion))
    case 5: return .multiLineString(try lines(conversion))
    case 6:
      var polygons: [[[GeoPosition]]] = []
      for part in parts { polygons.append(try part.lines(conversion)) }
      return .multiPolygon(polygons)
    case 7:
      var geometries: [Geometry] = []
      for part in parts {
        if let geometry = try part.geometry(conversion) { geometries.append(geometry) }
      }
      return .collection(geometries)
    default:
      throw GeometryProblem(
        "found a \(Self.name(of: type)); expected a type of simple features")
    }
  }

  /// Returns the lines or rings, which are divided by `ends`.
  private func lines(
    _ conversion: GeometryConversion?
  ) throws(GeometryProblem) -> [[GeoPosition]] {
    guard !xy.isEmpty else { return [] }
    var lines: [[GeoPosition]] = []
    var start = 0
    for end in ends.isEmpty ? [xy.count / 2] : ends {
      lines.append(try positions(start..<end, conversion))
      start = end
    }
    return lines
  }

  private func positions(
    _ range: Range<Int>, _ conversion: GeometryConversion?
  ) throws(GeometryProblem) -> [GeoPosition] {
    var positions: [GeoPosition] = []
    positions.reserveCapacity(range.count)
    for index in range { positions.append(try position(index, conversion)) }
    return positions
  }

  private func position(
    _ index: Int, _ conversion: GeometryConversion?
  ) throws(GeometryProblem) -> GeoPosition {
    try GeoPosition(
      x: xy[2 * index], y: xy[2 * index + 1], z: index < z.count ? z[index] : nil, conversion)
  }
}

extension FlatGeobufGeometry {
  /// Creates the FlatGeobuf form of a geometry.
  ///
  /// - Parameters:
  ///   - geometry: The geometry, which is not empty.
  ///   - hasAltitude: Whether altitudes are written; a position without one gets NaN.
  init(_ geometry: Geometry, hasAltitude: Bool) {
    let type = Self.type(of: geometry.kind)
    switch geometry.shape {
    case .point(let position): self.init(type, [position.map { [$0] } ?? []], hasAltitude)
    case .lineString(let line), .multiPoint(let line): self.init(type, [line], hasAltitude)
    case .polygon(let lines), .multiLineString(let lines): self.init(type, lines, hasAltitude)
    case .multiPolygon(let polygons):
      let polygon = Self.type(of: .polygon)
      self.init(
        type: type, parts: polygons.map { FlatGeobufGeometry(polygon, $0, hasAltitude) })
    case .collection(let geometries):
      self.init(
        type: type,
        parts: geometries.map { FlatGeobufGeometry($0, hasAltitude: hasAltitude) })
    }
  }

  /// Creates the FlatGeobuf form of a point.
  init(_ point: ColumnarPoint, hasAltitude: Bool) {
    self.init(
      type: Self.type(of: .point), xy: [point.x, point.y], z: hasAltitude ? [point.z ?? 0] : [])
  }

  private init(_ type: UInt8, _ lines: [[GeoPosition]], _ hasAltitude: Bool) {
    var xy: [Double] = []
    var z: [Double] = []
    var ends: [Int] = []
    for line in lines {
      for position in line {
        xy += [position.longitude, position.latitude]
        if hasAltitude { z.append(position.altitude ?? 0) }
      }
      ends.append(xy.count / 2)
    }
    // The ends of one ring may be left out; versions of GDAL before 3.8 need those of the only line of a MultiLineString.
    let needsEnds = ends.count > 1 || type == Self.type(of: .multiLineString)
    self.init(type: type, xy: xy, z: z, ends: needsEnds ? ends : [])
  }

  /// Returns the fields of the table.
  ///
  /// - Parameter hasType: Whether the type is written, because the header has none.
  /// - Returns: The slots and values, for ``FlatBufferBuilder``.
  func fields(hasType: Bool) -> [(slot: Int, field: FlatBufferBuilder.Field)] {
    var fields: [(slot: Int, field: FlatBufferBuilder.Field)] = []
    if !ends.isEmpty { fields.append((0, .reference { $0.appendWords(ends.map(UInt32.init)) })) }
    if !xy.isEmpty { fields.append((1, .reference { $0.appendDoubles(xy) })) }
    if !z.isEmpty { fields.append((2, .reference { $0.appendDoubles(z) })) }
    if hasType { fields.append((6, .byte(type))) }
    if !parts.isEmpty {
      let tables = parts.map { $0.fields(hasType: true) }
      fields.append((7, .reference { $0.appendTables(tables) }))
    }
    return fields
  }

  /// Returns the code of a type.
  static func type(of kind: Geometry.Kind) -> UInt8 {
    switch kind {
    case .point: 1
    case .lineString: 2
    case .polygon: 3
    case .multiPoint: 4
    case .multiLineString: 5
    case .multiPolygon: 6
    case .collection: Self.collection
    }
  }
}
