/// Operations whose edges are great circles, by GEOS in a gnomonic projection, in which they are straight.
///
/// The results are exact but for the rounding of new vertices, some 1e-15 of the radius. ±180° and the poles are no
/// special cases. Geometries that are not within 88° of a common middle are combined part by part; two parts that touch must
/// be within it. Polygons without an area count as empty.
extension Geometry {
  /// Returns the points of either geometry; edges are great circles.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The union, without altitudes of new vertices.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometries are too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public func sphericalUnion(_ other: Geometry) throws(GeometryError) -> Geometry {
    guard let plane = try commonPlane(with: other) else {
      return try Geometry.sphericalUnion(of: [self, other])
    }
    return try combined(.union, other, plane)
  }

  /// Returns the common points; edges are great circles.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The intersection, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometries are too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions, if each part touches few others.
  public func sphericalIntersection(_ other: Geometry) throws(GeometryError) -> Geometry {
    if let plane = try commonPlane(with: other) {
      return try combined(.intersection, other, plane)
    }
    var common: [Geometry] = []
    for (part, others) in touchingParts(of: other) {
      for other in others {
        common.append(try part.combined(.intersection, other, GnomonicPlane([part, other])))
      }
    }
    return try Geometry.sphericalUnion(of: common.filter { !$0.isEmpty })
  }

  /// Returns the points that are not in another geometry; edges are great circles.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The difference, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometries are too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions, if each part touches few others.
  public func sphericalDifference(_ other: Geometry) throws(GeometryError) -> Geometry {
    if let plane = try commonPlane(with: other) {
      return try combined(.difference, other, plane)
    }
    var rests: [Geometry] = []
    for (part, others) in touchingParts(of: other) {
      var rest = part
      for other in others where !rest.isEmpty {
        rest = try rest.combined(.difference, other, GnomonicPlane([rest, other]))
      }
      rests.append(rest)
    }
    return try Geometry.sphericalUnion(of: rests.filter { !$0.isEmpty })
  }

  /// Returns the plane of an operation; nil if the geometries are too large for one, or have parts of several dimensions,
  /// which GEOS 3.11 does not take together.
  private func commonPlane(with other: Geometry) throws(GeometryError) -> GnomonicPlane? {
    hasSeveralDimensions || other.hasSeveralDimensions
      ? nil : try GnomonicPlane(fitting: [self, other])
  }

  private var hasSeveralDimensions: Bool {
    let parts = parts
    return [parts.points.isEmpty, parts.lines.isEmpty, parts.polygons.isEmpty].count { !$0 } > 1
  }

  /// Returns the points, lines and polygons of the geometry, each with those of another one that it touches.
  private func touchingParts(of other: Geometry) -> [(part: Geometry, others: [Geometry])] {
    let others = other.locatedParts
    let index = EnvelopeIndex(others.map(\.located.envelopes))
    return locatedParts.map { part, located in
      let near = index?.elements(near: located.envelopes) ?? []
      let touching = near.filter { located.intersects(others[$0].located, edges: .spherical) }
      return (part, touching.map { others[$0].geometry })
    }
  }

  /// Returns the smallest geometry that contains this one and the great-circle arc between any two of its points.
  ///
  /// - Returns: The convex hull: a polygon, a line or a point.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometry is too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public func sphericalConvexHull() throws(GeometryError) -> Geometry {
    let plane = try GnomonicPlane([self])
    return plane.restored(
      try Self.call { try GEOSGeometry(plane.image(self)).transformed(.convexHull) })
  }

  /// Returns the points of any of several geometries; edges are great circles.
  ///
  /// Geometries that are farther apart are united in groups of those that touch.
  ///
  /// - Parameter geometries: The geometries.
  /// - Returns: The union; empty for no geometries.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if a group is too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public static func sphericalUnion(
    of geometries: some Collection<Geometry>
  ) throws(GeometryError) -> Geometry {
    guard let first = geometries.first else { return Geometry() }
    if geometries.count == 1 { return first }
    if let plane = try GnomonicPlane(fitting: geometries) {
      return try unionInPlane(geometries, plane)
    }
    var united: [Geometry] = []
    for group in touchingGroups(geometries) {
      united.append(
        group.count == 1 ? group[0] : try unionInPlane(group, try GnomonicPlane(group)))
    }
    return Geometry(unchecked: .collection(united)).homogenized
  }

  /// Checks that operations on the sphere take the geometry as their operand.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if it is empty or invalid, has an edge of 360° of longitude, or has a line or
  ///   a polygon that is too large.
  package func checkForOperations() throws(GeometryError) {
    if isEmpty { throw .geometryLibrary("the geometry is empty") }
    if let reason = invalidityReason() { throw .geometryLibrary("\(reason)") }
    for part in simpleParts { _ = try GnomonicPlane([part]) }
  }

  /// Returns a geometry whose polygons are valid with edges that are great circles.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometry is too large, or if its polygons have no area.
  func madeValidOnSphere() throws(GeometryError) -> Geometry {
    let plane = try GnomonicPlane([self])
    let repaired = try plane.image(self).validInPlane()
    try refuseNoArea(in: repaired)
    return plane.restored(repaired)
  }

  private static func unionInPlane(
    _ geometries: some Collection<Geometry>, _ plane: GnomonicPlane
  ) throws(GeometryError) -> Geometry {
    try validResult(of: Array(geometries)) { (operands) throws(GeometryError) in
      // GEOS 3.11 stops the process at the union of a collection with an empty point, so only parts with positions are passed.
      var images: [Geometry] = []
      for geometry in operands { images += try plane.validImage(geometry).simpleParts }
      let image = Geometry(unchecked: .collection(images))
      return plane.restored(try call { try GEOSGeometry(image).transformed(.unaryUnion) })
    }
  }

  /// Returns the result of an operation on geometries with common vertices.
  ///
  /// Edges that nearly agree may cross several times by rounding. Where the result is invalid, vertices that are farther apart
  /// become common, up to 0.1 millimetres.
  private static func validResult(
    of operands: [Geometry], _ operation: ([Geometry]) throws(GeometryError) -> Geometry
  ) throws(GeometryError) -> Geometry {
    let result = try operation(withCommonVertices(operands))
    if result.isValid() { return result }
    for radians in [1e-13, 1e-12, 1.5e-11] {
      guard let distance = Distance.radians(radians),
        let other = try? operation(snapped(operands, within: distance)), other.isValid()
      else { continue }
      return other
    }
    return result
  }

  /// The points, lines and polygons of the geometry.
  var simpleParts: [Geometry] {
    let parts = parts
    return parts.points.map { Geometry(unchecked: .point($0)) }
      + parts.lines.map { Geometry(unchecked: .lineString($0)) }
      + parts.polygons.map { Geometry(unchecked: .polygon($0)) }
  }

  /// The points, lines and polygons of the geometry, prepared for tests.
  private var locatedParts: [(geometry: Geometry, located: LocatedGeometry)] {
    simpleParts.compactMap { part in
      LocatedGeometry(part, edges: .spherical).map { (part, $0) }
    }
  }

  /// The parts of a collection as one geometry of several parts, if all are of one type.
  private var homogenized: Geometry {
    let parts = parts
    let all = simpleParts
    if all.count == 1 { return all[0] }
    switch (parts.points.isEmpty, parts.lines.isEmpty, parts.polygons.isEmpty) {
    case (true, true, false): return Geometry(unchecked: .multiPolygon(parts.polygons))
    case (true, false, true): return Geometry(unchecked: .multiLineString(parts.lines))
    case (false, true, true): return Geometry(unchecked: .multiPoint(parts.points))
    default: return self
    }
  }

  /// Returns the points, lines and polygons of geometries in groups of those that touch, also through others.
  private static func touchingGroups(_ geometries: some Collection<Geometry>) -> [[Geometry]] {
    let parts = geometries.flatMap(\.locatedParts)
    let envelopes = parts.map(\.located.envelopes)
    guard let index = EnvelopeIndex(envelopes) else { return [] }
    var isGrouped = parts.map { _ in false }
    var groups: [[Geometry]] = []
    for first in parts.indices where !isGrouped[first] {
      var group = [first]
      isGrouped[first] = true
      var next = 0
      while next < group.count {
        let current = group[next]
        next += 1
        for other in index.elements(near: envelopes[current])
        where !isGrouped[other]
          && parts[current].located.intersects(parts[other].located, edges: .spherical)
        {
          isGrouped[other] = true
          group.append(other)
        }
      }
      groups.append(group.map { parts[$0].geometry })
    }
    return groups
  }

  /// The greatest angle from the middle of parts that are simplified together, in radians.
  private static let maximumReachTogether = 30 * radiansPerDegree

  /// Returns the geometry with fewer positions, by the algorithm of Douglas and Peucker.
  ///
  /// The distances are those of a gnomonic projection, which are never smaller than those on the sphere: at 10° from the
  /// middle of the geometry they are up to 3 % greater, at 30° up to 33 %, so that more positions stay there. Parts that are
  /// farther apart are simplified one by one. Valid polygons stay valid. Borders that two geometries have in common may
  /// separate.
  ///
  /// - Parameter distance: The greatest distance of the result from the original.
  /// - Returns: The simplified geometry, which is the original if no position can be left out.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if a line or a polygon reaches farther than 88° from its middle, or
  ///   if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public func simplified(within distance: Distance) throws(GeometryError) -> Geometry {
    let all = simpleParts
    let isLarge = middle.map { reach(from: $0) > Self.maximumReachTogether } ?? true
    if all.count > 1, isLarge {
      var parts: [Geometry] = []
      for part in all { parts.append(try part.simplified(within: distance)) }
      let simplified = Geometry(unchecked: .collection(parts)).homogenized
      return simplified.isValid() ? simplified : try Geometry.sphericalUnion(of: parts)
    }
    guard !isEmpty else { return self }
    let plane = try GnomonicPlane([self])
    return plane.restored(
      try Self.call {
        try GEOSGeometry(plane.image(self)).transformed(.simplify(tolerance: distance.radians))
      })
  }

  private func combined(
    _ operation: GEOSOverlay, _ other: Geometry, _ plane: GnomonicPlane
  ) throws(GeometryError) -> Geometry {
    try Self.validResult(of: [self, other]) { (operands) throws(GeometryError) in
      plane.restored(
        try Self.call {
          let first = try GEOSGeometry(plane.validImage(operands[0]))
          return try first.combined(
            operation, GEOSGeometry(plane.validImage(operands[1]), beside: first))
        })
    }
  }

  private static func call(
    _ body: () throws -> GEOSGeometry
  ) throws(GeometryError) -> Geometry {
    do {
      return try body().geometry()
    } catch let error as GEOSError {
      throw .geometryLibrary(error.message)
    } catch {
      throw .geometryLibrary("\(error)")
    }
  }
}

/// The positions of geometries by their images in a plane.
private struct KnownPositions {
  private var positions: [PlanePoint: GeoPosition] = [:]

  /// The difference of coordinates in the plane within which positions of the same place are searched.
  private static let rounding = 1e-12

  /// Remembers a position, unless another one with an altitude has the same image.
  mutating func keep(_ position: GeoPosition, at point: PlanePoint) {
    guard let known = positions[point] else {
      positions[point] = position
      return
    }
    if known.altitude == nil, position.altitude != nil { positions[point] = position }
  }

  /// Returns the geometry of an image, in which a vertex at a known position has exactly that one.
  ///
  /// GEOS rounds vertices that are on an edge of the other geometry.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - position: Returns the position of a point of the plane.
  /// - Returns: The geometry, without repetitions.
  /// - Complexity: O(n log n) for n positions.
  func restored(_ image: Geometry, _ position: (PlanePoint) -> GeoPosition) -> Geometry {
    var sorted: [PlanePoint]?
    return image.mapPositions {
      let point = PlanePoint(x: $0.longitude, y: $0.latitude)
      if let known = positions[point] { return known }
      let computed = position(point)
      let points = sorted ?? positions.keys.sorted { $0.x < $1.x }
      sorted = points
      var index = points.partitioningIndex { $0.x >= point.x - Self.rounding }
      while index < points.count, points[index].x <= point.x + Self.rounding {
        if abs(points[index].y - point.y) <= Self.rounding, let known = positions[points[index]],
          known.isSamePlace(as: computed)
        {
          return known
        }
        index += 1
      }
      return computed
    }.withoutRepetitions
  }
}

/// A gnomonic projection of geometries, which remembers their positions.
///
/// A vertex of a result that was a vertex before gets its exact position again, and its altitude; of several altitudes
/// at a position the first one.
private struct GnomonicPlane {
  private let projection: GnomonicProjection
  private var positions = KnownPositions()

  /// Creates the projection.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometries are too large.
  init(_ geometries: some Collection<Geometry>) throws(GeometryError) {
    guard let plane = try GnomonicPlane(fitting: geometries) else {
      throw .geometryLibrary(
        "an operation on the sphere takes lines and polygons that are together within 88° of a middle; divide them"
      )
    }
    self = plane
  }

  /// Creates the projection; nil if the geometries are too large for one.
  init?(fitting geometries: some Collection<Geometry>) throws(GeometryError) {
    var all: [GeoPosition] = []
    for geometry in geometries {
      try geometry.refuseWholeParallels()
      _ = geometry.mapPositions { position in
        all.append(position)
        return position
      }
    }
    if all.isEmpty {
      projection = GnomonicProjection(center: UnitVector(x: 1, y: 0, z: 0))
      return
    }
    guard let projection = GnomonicProjection(around: all.lazy.map(\.vertex)) else { return nil }
    self.projection = projection
    for position in all {
      if let point = projection.project(position.canonicalDirection) {
        positions.keep(position, at: point)
      }
    }
  }

  /// Returns the image of a geometry.
  func image(_ geometry: Geometry) -> Geometry {
    geometry.mapPositions { position in
      let point = projection.project(position.canonicalDirection) ?? PlanePoint(x: 0, y: 0)
      return GeoPosition(uncheckedLongitude: point.x, latitude: point.y)
    }
  }

  /// Returns a valid image of a geometry.
  ///
  /// A polygon that is valid as written in degrees may have edges that cross as great circles.
  func validImage(_ geometry: Geometry) throws(GeometryError) -> Geometry {
    let image = image(geometry)
    return image.parts.polygons.isEmpty || image.isValid(edges: .planar)
      ? image : try image.validInPlane()
  }

  /// Returns the geometry of an image.
  func restored(_ image: Geometry) -> Geometry {
    positions.restored(image) { point in
      let direction = projection.direction(to: point)
      return GeoPosition(uncheckedLongitude: direction.longitude, latitude: direction.latitude)
    }
  }
}
