extension EnvelopeIndex {
  /// Returns the numbers of the elements that have a point in one of some envelopes, ascending, each
  /// once.
  ///
  /// - Parameter envelopes: The envelopes, in degrees.
  /// - Returns: The numbers; some of the elements may not reach into an envelope.
  package func elements(near envelopes: [Envelope]) -> [Int] {
    var found: [Int] = []
    forEachElement(near: envelopes) { element, _ in found.append(element) }
    guard found.count > 1 else { return found }
    found.sort()
    found.removeRepetitions()
    return found
  }

  /// Calls a closure with the elements that have a point in one of some envelopes, in any order, some
  /// of them twice.
  ///
  /// - Parameters:
  ///   - envelopes: The envelopes, in degrees.
  ///   - body: Called with the number of an element and the envelope of it that was found; some of the
  ///     elements may not reach into an envelope.
  func forEachElement(near envelopes: [Envelope], _ body: (Int, Envelope) -> Void) {
    for envelope in envelopes {
      _ = contains(Self.window(envelope), level: levels.count - 2, index: 0) { index in
        body(Int(owners[index]), self.envelope(index))
        return false
      }
    }
  }

  /// Returns the elements nearest to a geometry, nearest first; those at the same distance are in the
  /// order of their numbers.
  ///
  /// - Parameters:
  ///   - count: The greatest number of elements.
  ///   - geometry: The geometry.
  ///   - limit: The greatest distance.
  ///   - distance: Returns the distance of an element from the geometry; it may be called twice for an
  ///     element.
  /// - Returns: The numbers and distances.
  /// - Throws: The error of the closure.
  /// - Complexity: O(log n) for each element that is returned, where the geometry is small.
  package func nearest(
    _ count: Int, to geometry: LocatedGeometry, within limit: Distance,
    distance: (Int) throws -> Distance
  ) throws -> [(element: Int, distance: Distance)] {
    guard count > 0 else { return [] }
    let (center, reach) = geometry.circle
    var found: [(element: Int, distance: Distance)] = []
    var failure: (any Error)?
    var bound = haversineBound(limit.radians + reach)
    visit(from: center, nearer: { $0 <= bound && failure == nil }) { element in
      do {
        let distance = try distance(element)
        let isFull = found.count == count
        guard distance <= limit, !found.contains(where: { $0.element == element }) else { return }
        if isFull, (found[count - 1].distance, found[count - 1].element) <= (distance, element) {
          return
        }
        let place = found.partitioningIndex { ($0.distance, $0.element) > (distance, element) }
        found.insert((element, distance), at: place)
        if isFull { found.removeLast() }
        if found.count == count {
          bound = haversineBound(found[count - 1].distance.radians + reach)
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return found
  }
}

extension LocatedGeometry {
  /// A circle around the geometry, with its radius in radians.
  fileprivate var circle: (center: Vertex, radius: Double) {
    guard case .shape(let shape) = self else {
      let envelope = envelopes[0]
      return (Vertex(longitude: envelope.minLongitude, latitude: envelope.minLatitude), 0)
    }
    guard let bounds = shape.bounds else { return (Vertex(longitude: 0, latitude: 0), .pi) }
    let center = Vertex(
      longitude: bounds.minLongitude + (bounds.maxLongitude - bounds.minLongitude) / 2,
      latitude: bounds.minLatitude + (bounds.maxLatitude - bounds.minLatitude) / 2)
    let origin = DistanceOrigin(longitude: center.longitude, latitude: center.latitude)
    let reach = 2 * arcSine(origin.maximumHaversine(to: bounds).squareRoot())
    return (center, reach * (1 + 1e-9) + 1e-14)
  }
}
