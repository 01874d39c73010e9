import CadastreGeometry

extension FlatGeobufGeometry {
  /// Creates a geometry to write.
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

  /// Creates a point to write.
  init(_ point: ColumnarPoint, hasAltitude: Bool) {
    self.init(
      type: Self.type(of: .point), xy: [point.x, point.y], z: hasAltitude ? [point.z ?? .nan] : [])
  }

  private init(_ type: UInt8, _ lines: [[GeoPosition]], _ hasAltitude: Bool) {
    var xy: [Double] = []
    var z: [Double] = []
    var ends: [Int] = []
    for line in lines {
      for position in line {
        xy += [position.longitude, position.latitude]
        if hasAltitude { z.append(position.altitude ?? .nan) }
      }
      ends.append(xy.count / 2)
    }
    self.init(type: type, xy: xy, z: z, ends: ends.count > 1 ? ends : [])
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
