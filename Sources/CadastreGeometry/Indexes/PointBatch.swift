/// A batch of points to be tested against polygons.
///
/// The points are sorted by longitude. Consecutive arcs of a ring are at neighbouring longitudes, so a
/// cursor that follows the arcs reaches the points of each arc in a few steps.
package struct PointBatch {
  /// A point with canonical coordinates.
  struct Entry {
    let longitude: Double
    let latitude: Double
    let element: Int32
    var crossings = CrossingCount([])
    var isInside = false
  }

  private let edges: EdgeModel
  private var entries: [Entry] = []

  /// Creates an empty batch.
  ///
  /// - Parameter edges: The model of the edges of the polygons.
  package init(edges: EdgeModel) { self.edges = edges }

  /// The number of points.
  package var count: Int { entries.count }

  /// Adds a point.
  ///
  /// - Parameters:
  ///   - longitude: The longitude in degrees, in range.
  ///   - latitude: The latitude in degrees, in range.
  ///   - element: The number of the point, less than 2^31.
  package mutating func append(longitude: Double, latitude: Double, element: Int) {
    let vertex = Vertex(longitude: longitude, latitude: latitude).canonical(edges)
    entries.append(
      Entry(longitude: vertex.longitude, latitude: vertex.latitude, element: Int32(element)))
  }

  /// Replaces the points by the points of an index that are near envelopes.
  ///
  /// - Parameters:
  ///   - envelopes: The envelopes, in degrees.
  ///   - index: An index of points.
  ///   - point: Returns the coordinates of an element at ±180° or at a pole, which is in the
  ///     index several times.
  package mutating func replace(
    near envelopes: [Envelope], in index: EnvelopeIndex,
    _ point: (Int) -> (longitude: Double, latitude: Double)
  ) {
    entries.removeAll(keepingCapacity: true)
    index.forEachElement(near: envelopes) { element, envelope in
      // The index is in the cache of the processor, unlike most elements.
      var location = (longitude: envelope.west, latitude: envelope.south)
      if abs(location.longitude) >= 180 || abs(location.latitude) >= 90 {
        location = point(element)
      }
      append(longitude: location.longitude, latitude: location.latitude, element: element)
    }
  }

  /// Returns the numbers of the points that a geometry covers, ascending and distinct.
  ///
  /// - Parameter geometry: The geometry, prepared for the same model of edges.
  /// - Returns: The numbers.
  /// - Complexity: O(n + k log k + c) for n arcs, k points and c pairs of an arc and a point at the
  ///   same longitude.
  package mutating func elements(in geometry: PreparedGeometry) -> [Int] {
    entries.sort { $0.longitude < $1.longitude }
    for index in entries.indices { entries[index].isInside = false }
    entries.withUnsafeMutableBufferPointer { geometry.mark($0) }
    var elements = entries.lazy.filter(\.isInside).map { Int($0.element) }.sorted()
    elements.removeRepetitions()
    return elements
  }
}

extension PreparedGeometry {
  /// Marks the points that the geometry covers.
  fileprivate func mark(_ entries: UnsafeMutableBufferPointer<PointBatch.Entry>) {
    guard radius == nil, border == nil, points.isEmpty else {
      return entries.mark { covers(Vertex(longitude: $0, latitude: $1)) }
    }
    for area in areas { area.mark(entries) }
  }
}

extension UnsafeMutableBufferPointer<PointBatch.Entry> {
  /// Marks the points that satisfy a condition on their longitude and latitude.
  fileprivate func mark(where isInside: (Double, Double) -> Bool) {
    for index in indices where !self[index].isInside {
      self[index].isInside = isInside(self[index].longitude, self[index].latitude)
    }
  }

  /// The indices of the points within the longitudes of an envelope.
  fileprivate func range(of envelope: Envelope) -> Range<Int> {
    let first = partitioningIndex { $0.longitude >= envelope.west }
    let end = partitioningIndex { $0.longitude > envelope.east }
    return first..<Swift.max(first, end)
  }
}

extension LazyPolygon {
  /// Marks the points that are inside the polygon or on its border.
  fileprivate func mark(_ entries: UnsafeMutableBufferPointer<PointBatch.Entry>) {
    for envelope in envelopes {
      let part = UnsafeMutableBufferPointer(rebasing: entries[entries.range(of: envelope)])
      if part.isEmpty { continue }
      if let polygon = indexedPolygon {
        part.mark { polygon.contains(longitude: $0, latitude: $1) }
      } else {
        compare(part)
      }
    }
  }

  /// Compares points with all arcs, each arc with the points at its longitudes.
  private func compare(_ entries: UnsafeMutableBufferPointer<PointBatch.Entry>) {
    for index in entries.indices { entries[index].crossings = CrossingCount(base) }
    let edges = edges
    var cursor = 0
    for arc in arcs {
      while cursor > 0, entries[cursor - 1].longitude >= arc.west { cursor -= 1 }
      while cursor < entries.count, entries[cursor].longitude < arc.west { cursor += 1 }
      var next = cursor
      while next < entries.count, entries[next].longitude <= arc.east {
        let (longitude, latitude) = (entries[next].longitude, entries[next].latitude)
        entries[next].crossings.add(arc, longitude: longitude, latitude: latitude, edges: edges)
        next += 1
      }
    }
    for index in entries.indices {
      let entry = entries[index]
      if isInside(entry.crossings, longitude: entry.longitude, latitude: entry.latitude) {
        entries[index].isInside = true
      }
    }
  }
}
