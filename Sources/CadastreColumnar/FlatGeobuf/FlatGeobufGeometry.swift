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

  /// The code of a geometry collection, the last type of simple features.
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
  ///   - type: The type in the header or of the collection; 0 if the geometry states its own.
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
    let own: UInt8 = try buffer.integer(6, of: table, default: 0)
    self.type = type != 0 ? type : own
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

  /// The name of a type, for messages.
  static func name(of type: UInt8) -> String {
    Int(type) < names.count ? names[Int(type)] : "geometry of type \(type)"
  }
}
