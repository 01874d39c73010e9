import CadastreGeometry

/// The content of a record with several positions: bounds, parts, positions, then altitudes.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Shape Types in X,Y Space".
struct ShapeContent {
  private let bytes: UnsafeRawBufferPointer
  private let type: ShapeType
  private let transformation: CoordinateTransformation?

  /// The offset of the counts, after type and bounding box.
  private static let countOffset = 36

  init(
    _ bytes: UnsafeRawBufferPointer, _ type: ShapeType,
    _ transformation: CoordinateTransformation? = nil
  ) {
    self.bytes = bytes
    self.type = type
    self.transformation = transformation
  }

  /// Returns the geometry; nil if it has no positions.
  func geometry(_ form: ShapeType.Form) throws(ShapefileProblem) -> Geometry? {
    let parts = try parts(form)
    if parts.isEmpty { return nil }
    let shape: Geometry.Shape =
      switch form {
      case .points:
        parts[0].count == 1 ? .point(parts[0][0]) : .multiPoint(parts[0])
      case .lines:
        parts.count == 1 ? .lineString(parts[0]) : .multiLineString(parts)
      case .rings: Self.polygons(parts)
      }
    do throws(GeometryError) {
      return try Geometry(shape)
    } catch {
      throw .geometry(error.description)
    }
  }

  private func parts(_ form: ShapeType.Form) throws(ShapefileProblem) -> [[GeoPosition]] {
    let hasParts = form != .points
    let partCount = hasParts ? try count(at: Self.countOffset) : 1
    let pointCount = try count(at: Self.countOffset + (hasParts ? 4 : 0))
    let partOffset = Self.countOffset + (hasParts ? 8 : 4)
    // The counts are compared with the length before they are multiplied.
    guard partCount <= bytes.count / 4, pointCount <= bytes.count / 16 else { throw wrongLength }
    let pointOffset = partOffset + (hasParts ? 4 * partCount : 0)
    let altitudeOffset = pointOffset + 16 * pointCount + 16
    let length = type.hasAltitude ? altitudeOffset + 8 * pointCount : pointOffset + 16 * pointCount
    guard bytes.count >= length else { throw wrongLength }
    if pointCount == 0 { return [] }
    var starts = [0]
    if hasParts {
      starts = (0..<partCount).map {
        Int(bytes.littleEndian(at: partOffset + 4 * $0, as: Int32.self))
      }
    }
    starts.append(pointCount)
    guard starts.first == 0, zip(starts, starts.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw .geometry("its parts are not in order")
    }
    var parts: [[GeoPosition]] = []
    for (start, end) in zip(starts, starts.dropFirst()) where start < end {
      var part: [GeoPosition] = []
      for index in start..<end {
        part.append(
          try position(
            at: pointOffset + 16 * index,
            altitude: type.hasAltitude ? altitudeOffset + 8 * index : nil))
      }
      parts.append(part)
    }
    return parts
  }

  private func position(at offset: Int, altitude: Int?) throws(ShapefileProblem) -> GeoPosition {
    let (x, y) = (
      bytes.littleEndianDouble(at: offset), bytes.littleEndianDouble(at: offset + 8)
    )
    do throws(CoordinateProblem) {
      let point = try TypedPoint(
        x, y, altitude: altitude.map { bytes.littleEndianDouble(at: $0) }, transformation)
      if let position = GeoPosition(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude)
      {
        return position
      }
    } catch {
      throw .coordinates(error)
    }
    throw .coordinates(.outOfRange(longitude: x, latitude: y))
  }

  private func count(at offset: Int) throws(ShapefileProblem) -> Int {
    guard bytes.count >= offset + 4 else { throw wrongLength }
    let count = Int(bytes.littleEndian(at: offset, as: Int32.self))
    guard count >= 0 else { throw wrongLength }
    return count
  }

  private var wrongLength: ShapefileProblem {
    .shapeLength(name: type.name, bytes: bytes.count)
  }

  /// Returns the polygons of rings: a clockwise ring is an exterior ring, the others are holes of the
  /// smallest exterior ring that contains them.
  private static func polygons(_ rings: [[GeoPosition]]) -> Geometry.Shape {
    var polygons: [[[GeoPosition]]] = []
    var holes: [[GeoPosition]] = []
    for ring in rings {
      if signedArea(ring) <= 0 { polygons.append([ring]) } else { holes.append(ring) }
    }
    // Some programs write all rings counter-clockwise.
    if polygons.isEmpty { return .multiPolygon(holes.map { [$0] }).simplified }
    let exteriors = polygons.map { try? Geometry(.polygon($0)) }
    for hole in holes {
      let owner = polygons.indices.filter { index in
        exteriors[index]?.contains(
          Geometry(hole[0].point), edges: .planar) == true
      }.min { abs(signedArea(polygons[$0][0])) < abs(signedArea(polygons[$1][0])) }
      if let owner { polygons[owner].append(hole) } else { polygons.append([hole]) }
    }
    return Geometry.Shape.multiPolygon(polygons).simplified
  }

  /// Returns twice the planar area of a ring; counter-clockwise is positive.
  private static func signedArea(_ ring: [GeoPosition]) -> Double {
    zip(ring, ring.dropFirst()).reduce(0) {
      $0 + ($1.0.longitude * $1.1.latitude - $1.1.longitude * $1.0.latitude)
    }
  }
}

extension Geometry.Shape {
  /// A multi-polygon of one polygon as that polygon.
  fileprivate var simplified: Geometry.Shape {
    if case .multiPolygon(let polygons) = self, polygons.count == 1 {
      .polygon(polygons[0])
    } else {
      self
    }
  }
}
