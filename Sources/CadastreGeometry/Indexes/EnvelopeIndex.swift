/// A spatial index of elements by their envelopes, which may be in any order.
///
/// The envelopes are sorted along a Z-order curve and packed into a tree.
///
/// - Complexity: O(n log n) to build.
package final class EnvelopeIndex {
  /// The element of each envelope.
  private let owners: [Int32]
  /// The envelopes in the order of the curve.
  private let tree: EnvelopeTree

  /// Indexes elements; nil without envelopes.
  ///
  /// - Parameter elements: The envelopes of each element.
  package convenience init?(_ elements: [[Envelope]]) {
    var entries = Entries()
    for (index, envelopes) in elements.enumerated() {
      for envelope in envelopes { entries.append(envelope, of: index) }
    }
    self.init(entries)
  }

  /// The envelopes of an index to be built.
  package struct Entries {
    fileprivate var boxes: [EnvelopeTree.Box] = []
    fileprivate var owners: [Int32] = []
    fileprivate var places: [CurvePlace] = []

    /// Creates an empty list.
    package init() {}

    /// Adds an envelope of an element.
    ///
    /// - Parameters:
    ///   - envelope: The envelope, in degrees.
    ///   - element: The number of the element, less than 2^31.
    package mutating func append(_ envelope: Envelope, of element: Int) {
      places.append(CurvePlace(position: envelope.positionOnCurve, index: Int32(boxes.count)))
      boxes.append(EnvelopeTree.box(envelope))
      owners.append(Int32(element))
    }

    /// Adds a point, at each of the longitudes that it has at ±180° and at a pole.
    ///
    /// - Parameters:
    ///   - longitude: The longitude in degrees.
    ///   - latitude: The latitude in degrees.
    ///   - element: The number of the element, less than 2^31.
    package mutating func append(longitude: Double, latitude: Double, of element: Int) {
      guard abs(longitude) < 180, abs(latitude) < 90 else {
        let vertex = Vertex(longitude: longitude, latitude: latitude)
        for envelope in vertex.envelopes { append(envelope, of: element) }
        return
      }
      append(Envelope(longitude: longitude, latitude: latitude), of: element)
    }
  }

  /// Indexes envelopes; nil without any.
  package init?(_ list: Entries) {
    guard !list.boxes.isEmpty else { return nil }
    let places = CurvePlace.sorted(list.places)
    owners = places.map { list.owners[Int($0.index)] }
    tree = EnvelopeTree(places.map { list.boxes[Int($0.index)] }, leafSize: 1, fanOut: 8)
  }

  /// The envelope of all elements.
  package var bounds: Envelope { tree.bounds }

  /// Returns whether an element near an envelope satisfies a condition; an element may be tested
  /// twice.
  ///
  /// The envelope is widened by less than a millimetre.
  ///
  /// - Parameters:
  ///   - envelope: The envelope, in degrees.
  ///   - condition: Called with the number of each element until it returns true.
  /// - Returns: Whether the condition was true for an element.
  /// - Complexity: O(log n) for small envelopes at a distance from the elements.
  package func contains(
    intersecting envelope: Envelope, where condition: (Int) -> Bool
  ) -> Bool {
    tree.contains(intersecting: envelope) { condition(Int(owners[$0])) }
  }

  /// Returns the least angle between an element and a shape around a point; see
  /// `EnvelopeTree.leastAngle`.
  func leastAngle(
    from point: Vertex, reach: Double = 0, below limit: Double, angle: (Int) -> Double
  ) -> Double {
    tree.leastAngle(from: point, reach: reach, below: limit) { angle(Int(owners[$0])) }
  }

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
      _ = tree.contains(intersecting: envelope) { index in
        body(Int(owners[index]), tree.envelope(ofLeaf: index))
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
    tree.visit(from: center, nearer: { $0 <= bound && failure == nil }) { index in
      let element = Int(owners[index])
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

// Safe because all state is immutable after initialisation.
extension EnvelopeIndex: @unchecked Sendable {}

/// The position of an element on a curve over all longitudes and latitudes.
struct CurvePlace {
  let position: UInt64
  let index: Int32

  /// The bits of a position that are sorted: 24 for each axis, which is 2 metres.
  private static let sortedBits = 48
  private static let bitsPerPass = 12

  /// Returns places in the order of the most significant 48 bits of their positions.
  ///
  /// - Complexity: O(n), by radix; for few places O(n log n).
  static func sorted(_ places: [CurvePlace]) -> [CurvePlace] {
    guard places.count > 1024 else { return places.sorted { $0.position < $1.position } }
    var (source, target) = (places, places)
    for shift in stride(from: 64 - sortedBits, to: 64, by: bitsPerPass) {
      let digit = { (place: CurvePlace) in
        Int(truncatingIfNeeded: place.position >> UInt64(shift)) & (1 << bitsPerPass - 1)
      }
      var ends = [Int](repeating: 0, count: 1 << bitsPerPass + 1)
      for place in source { ends[digit(place) + 1] += 1 }
      for value in 1..<ends.count { ends[value] += ends[value - 1] }
      for place in source {
        target[ends[digit(place)]] = place
        ends[digit(place)] += 1
      }
      swap(&source, &target)
    }
    return source
  }
}

extension Envelope {
  /// The position of the middle on a Z-order curve over all longitudes and latitudes.
  var positionOnCurve: UInt64 {
    let column = ((minLongitude + maxLongitude) / 2 + 180) / 360
    let row = ((minLatitude + maxLatitude) / 2 + 90) / 180
    return Self.spread(column) | Self.spread(row) << 1
  }

  /// Returns 32 bits of a fraction from 0 to 1, with a zero bit after each of them.
  private static func spread(_ fraction: Double) -> UInt64 {
    var bits = UInt64(max(0, min(1, fraction)) * 4_294_967_295)
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that satisfies a condition, where all elements after it
  /// do, too.
  ///
  /// - Complexity: O(log n).
  package func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension [Int] {
  /// Removes elements equal to the one before.
  mutating func removeRepetitions() {
    var count = 0
    for index in indices where index == 0 || self[index] != self[count - 1] {
      self[count] = self[index]
      count += 1
    }
    removeSubrange(count...)
  }
}
