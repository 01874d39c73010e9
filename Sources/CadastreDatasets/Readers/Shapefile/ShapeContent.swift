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
      case .rings: Geometry.Shape.multiPolygon(RingNesting(parts).polygons).simplified
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
