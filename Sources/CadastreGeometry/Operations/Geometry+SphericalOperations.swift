/// Operations whose edges are great circles, by GEOS in a gnomonic projection, in which they are straight.
///
/// The results are exact but for the rounding of new vertices, some 1e-15 of the radius. ±180° and the poles are no
/// special cases. The geometries must lie within 80° of the mean of their positions.
extension Geometry {
  /// Returns the points of either geometry; edges are great circles.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The union, without altitudes of new vertices.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometries are too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public func sphericalUnion(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(.union, other, GnomonicPlane([self, other]))
  }

  /// Returns the common points; edges are great circles.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The intersection, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometries are too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public func sphericalIntersection(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(.intersection, other, GnomonicPlane([self, other]))
  }

  /// Returns the points that are not in another geometry; edges are great circles.
  ///
  /// - Parameter other: The other geometry.
  /// - Returns: The difference, which may be empty.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometries are too large, or if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public func sphericalDifference(_ other: Geometry) throws(GeometryError) -> Geometry {
    try combined(.difference, other, GnomonicPlane([self, other]))
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
  /// - Complexity: O(n log n) in the number of positions; O(m²) tests of m parts if they are far apart.
  public static func sphericalUnion(
    of geometries: some Collection<Geometry>
  ) throws(GeometryError) -> Geometry {
    guard let first = geometries.first else { return Geometry() }
    if geometries.count == 1 { return first }
    if let plane = try GnomonicPlane(fitting: geometries) {
      return try unionInPlane(geometries, plane)
    }
    var united: [Geometry] = []
    for group in touchingGroups(geometries.flatMap(\.simpleParts)) {
      united.append(
        group.count == 1 ? group[0] : try unionInPlane(group, try GnomonicPlane(group)))
    }
    return Geometry(unchecked: .collection(united)).homogenized
  }

  /// Checks that operations on the sphere take the geometry as their operand.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if it is empty or invalid, or has an edge of 360° of longitude.
  package func checkForOperations() throws(GeometryError) {
    if isEmpty { throw .geometryLibrary("the geometry is empty") }
    if let reason = invalidityReason() { throw .geometryLibrary("\(reason)") }
    try refuseWholeParallels()
  }

  /// Returns a geometry whose polygons are valid with edges that are great circles.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometry is too large, or if its polygons have no area.
  func madeValidOnSphere() throws(GeometryError) -> Geometry {
    let plane = try GnomonicPlane([self])
    return plane.restored(try plane.image(self).validInPlane())
  }

  private static func unionInPlane(
    _ geometries: some Collection<Geometry>, _ plane: GnomonicPlane
  ) throws(GeometryError) -> Geometry {
    // GEOS 3.11 stops the process at the union of a collection with an empty point, so only parts with positions are passed.
    var images: [Geometry] = []
    for geometry in geometries { images += try plane.validImage(geometry).simpleParts }
    let image = Geometry(unchecked: .collection(images))
    return plane.restored(try call { try GEOSGeometry(image).transformed(.unaryUnion) })
  }

  /// The points, lines and polygons of the geometry.
  var simpleParts: [Geometry] {
    let parts = parts
    return parts.points.map { Geometry(unchecked: .point($0)) }
      + parts.lines.map { Geometry(unchecked: .lineString($0)) }
      + parts.polygons.map { Geometry(unchecked: .polygon($0)) }
  }

  /// The parts of a collection as one geometry of several parts, if all are of one type.
  private var homogenized: Geometry {
    let parts = parts
    switch (parts.points.isEmpty, parts.lines.isEmpty, parts.polygons.isEmpty) {
    case (true, true, false): return Geometry(unchecked: .multiPolygon(parts.polygons))
    case (true, false, true): return Geometry(unchecked: .multiLineString(parts.lines))
    case (false, true, true): return Geometry(unchecked: .multiPoint(parts.points))
    default: return self
    }
  }

  /// Returns the geometries in groups of those that touch, also through others.
  private static func touchingGroups(_ geometries: [Geometry]) -> [[Geometry]] {
    let prepared = geometries.map { PreparedGeometry($0, edges: .spherical) }
    var groups: [[Geometry]] = []
    var rest = Array(geometries.indices)
    while let first = rest.popLast() {
      var group = [first]
      var next = 0
      while next < group.count {
        let current = prepared[group[next]]
        next += 1
        let touching = rest.filter { current.intersects(prepared[$0]) }
        rest.removeAll(where: Set(touching).contains)
        group += touching
      }
      groups.append(group.map { geometries[$0] })
    }
    return groups
  }

  /// Returns the geometry with fewer positions, by the algorithm of Douglas and Peucker.
  ///
  /// The distances are those of a gnomonic projection, which are never smaller than those on the sphere: at 10° from the
  /// middle of the geometry they are up to 3 % greater, at 30° up to 33 %, so that more positions stay there. Parts that are
  /// farther apart are simplified one by one. Valid polygons stay valid. Borders that two geometries have in common may
  /// separate.
  ///
  /// - Parameter distance: The greatest distance of the result from the original.
  /// - Returns: The simplified geometry, which is the original if no position can be left out.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if a line or a polygon reaches farther than 80° from its middle, or
  ///   if GEOS fails.
  /// - Complexity: O(n log n) in the number of positions.
  public func simplified(within distance: Distance) throws(GeometryError) -> Geometry {
    let all = simpleParts
    if all.count > 1, !EquidistantPlane.fits(self) {
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

  /// Returns the geometry with its vertices moved to positions of another geometry that are near, so that borders that
  /// nearly agree become equal.
  ///
  /// A vertex within the distance of a position is moved to it; an edge that passes a position within the distance gets it
  /// as a vertex. The distances are those of ``buffered(by:)``.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - distance: The greatest distance of a moved vertex.
  /// - Returns: The geometry with moved vertices.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the geometry reaches farther than 30° from its middle, if a
  ///   valid geometry became invalid, or if GEOS fails.
  /// - Complexity: O(n m) for n positions of the geometry and m near positions of the other one.
  public func snapped(
    to other: Geometry, within distance: Distance
  ) throws(GeometryError) -> Geometry {
    guard var plane = try EquidistantPlane(self) else { return self }
    let width = distance.radians / radiansPerDegree
    let image = plane.image(self)
    let near = plane.positions(of: other, near: image, within: width)
    guard !near.isEmpty else { return self }
    let targets = plane.image(Geometry(unchecked: .multiPoint(near)))
    let snapped = plane.restored(
      try Self.call {
        let first = try GEOSGeometry(image)
        return try first.combined(
          .snap(tolerance: width), GEOSGeometry(targets, beside: first))
      })
    guard snapped.isValid() || !isValid() else {
      throw .geometryLibrary("the geometry becomes invalid; expected a smaller distance")
    }
    return snapped
  }

  private func combined(
    _ operation: GEOSOverlay, _ other: Geometry, _ plane: GnomonicPlane
  ) throws(GeometryError) -> Geometry {
    plane.restored(
      try Self.call {
        let first = try GEOSGeometry(plane.validImage(self))
        return try first.combined(
          operation, GEOSGeometry(plane.validImage(other), beside: first))
      })
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
        "an operation on the sphere needs geometries within 80° of their middle; divide them")
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

extension Geometry {
  /// The bounding box of positions in a plane; nil without positions.
  fileprivate var planeBounds: Envelope? {
    var box: Envelope?
    _ = mapPositions { position in
      let point = Envelope(longitude: position.longitude, latitude: position.latitude)
      box?.formUnion(point)
      box = box ?? point
      return position
    }
    return box
  }
}

/// An azimuthal equidistant projection of a geometry, which remembers its positions.
private struct EquidistantPlane {
  private let projection: AzimuthalProjection
  private var positions = KnownPositions()

  /// The greatest angle in degrees between the middle and a position.
  private static let maximumReach = 30.0

  /// Returns whether all positions are near enough to the middle.
  static func fits(_ geometry: Geometry) -> Bool {
    guard let middle = geometry.middle else { return false }
    let projection = AzimuthalProjection(center: middle)
    var fits = true
    _ = geometry.mapPositions { position in
      let point = projection.project(position)
      if (point.x * point.x + point.y * point.y).squareRoot() > maximumReach { fits = false }
      return position
    }
    return fits
  }

  /// Creates the projection; nil for a geometry without positions.
  init?(_ geometry: Geometry) throws(GeometryError) {
    try geometry.refuseWholeParallels()
    guard let middle = geometry.middle else { return nil }
    projection = AzimuthalProjection(center: middle)
    var all: [GeoPosition] = []
    _ = geometry.mapPositions { position in
      all.append(position)
      return position
    }
    for position in all {
      let point = projection.project(position)
      let reach = (point.x * point.x + point.y * point.y).squareRoot()
      guard reach <= Self.maximumReach else {
        throw .geometryLibrary(
          "the geometry reaches \(reach)° from its middle; expected at most \(Self.maximumReach)°")
      }
      positions.keep(position, at: point)
    }
  }

  /// Returns the positions of a geometry near the bounding box of an image, and remembers them.
  mutating func positions(
    of geometry: Geometry, near image: Geometry, within width: Double
  ) -> [GeoPosition] {
    guard let box = image.planeBounds else { return [] }
    var found: [GeoPosition] = []
    var points: [PlanePoint] = []
    _ = geometry.mapPositions { position in
      let point = projection.project(position)
      if point.x >= box.west - width, point.x <= box.east + width, point.y >= box.south - width,
        point.y <= box.north + width
      {
        found.append(position)
        points.append(point)
      }
      return position
    }
    for (point, position) in zip(points, found) { positions.keep(position, at: point) }
    return found
  }

  func image(_ geometry: Geometry) -> Geometry {
    geometry.mapPositions { position in
      let point = projection.project(position)
      return GeoPosition(uncheckedLongitude: point.x, latitude: point.y)
    }
  }

  func restored(_ image: Geometry) -> Geometry {
    positions.restored(image) { projection.position(of: $0) }
  }
}
