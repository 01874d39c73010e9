/// A spatial index of elements by their envelopes.
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

  /// The envelopes from which an index is built.
  package struct Entries {
    fileprivate var boxes: [EnvelopeTree.Box] = []
    fileprivate var owners: [Int32] = []
    fileprivate var curve: [CurveEntry] = []

    /// Creates an empty list.
    package init() {}

    /// Adds an envelope of an element.
    ///
    /// - Parameters:
    ///   - envelope: The envelope, in degrees.
    ///   - element: The number of the element, less than 2^31.
    package mutating func append(_ envelope: Envelope, of element: Int) {
      curve.append(CurveEntry(position: envelope.positionOnCurve, index: Int32(boxes.count)))
      boxes.append(EnvelopeTree.box(envelope))
      owners.append(Int32(element))
    }

    /// Adds a point, with all of its longitudes at ±180° or at a pole.
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

  /// Indexes envelopes; nil without envelopes.
  package init?(_ list: Entries) {
    guard !list.boxes.isEmpty else { return nil }
    let curve = CurveEntry.sorted(list.curve)
    owners = curve.map { list.owners[Int($0.index)] }
    tree = EnvelopeTree(curve.map { list.boxes[Int($0.index)] }, leafSize: 1, fanOut: 8)
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

  /// Returns the numbers of the elements near envelopes, ascending and distinct.
  ///
  /// - Parameter envelopes: The envelopes, in degrees.
  /// - Returns: The elements with an envelope that intersects one of `envelopes`.
  package func elements(near envelopes: [Envelope]) -> [Int] {
    var elements: [Int] = []
    forEachElement(near: envelopes) { element, _ in elements.append(element) }
    guard elements.count > 1 else { return elements }
    elements.sort()
    elements.removeRepetitions()
    return elements
  }

  /// Calls a closure with the elements near envelopes, in any order and perhaps several times.
  ///
  /// - Parameters:
  ///   - envelopes: The envelopes, in degrees.
  ///   - body: Called with the number of an element, and the envelope of the element that intersects one
  ///     of `envelopes`.
  func forEachElement(near envelopes: [Envelope], _ body: (Int, Envelope) -> Void) {
    for envelope in envelopes {
      _ = tree.contains(intersecting: envelope) { index in
        body(Int(owners[index]), tree.envelope(ofLeaf: index))
        return false
      }
    }
  }

  /// Returns the elements nearest to a geometry, ordered by distance, then by number.
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
    var results: [(element: Int, distance: Distance)] = []
    var failure: (any Error)?
    var bound = haversineBound(limit.radians + reach)
    tree.visit(from: center, nearer: { $0 <= bound && failure == nil }) { index in
      let element = Int(owners[index])
      do {
        let distance = try distance(element)
        let isFull = results.count == count
        guard distance <= limit, !results.contains(where: { $0.element == element }) else { return }
        if isFull, (results[count - 1].distance, results[count - 1].element) <= (distance, element)
        {
          return
        }
        let position = results.partitioningIndex { ($0.distance, $0.element) > (distance, element) }
        results.insert((element, distance), at: position)
        if isFull { results.removeLast() }
        if results.count == count {
          bound = haversineBound(results[count - 1].distance.radians + reach)
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return results
  }
}

// Safe because all state is immutable after initialisation.
extension EnvelopeIndex: @unchecked Sendable {}

/// The position of an envelope on a Z-order curve over all longitudes and latitudes.
struct CurveEntry {
  /// The position on the curve.
  let position: UInt64
  /// The index of the envelope.
  let index: Int32

  /// The bits of a position that are sorted: 24 for each axis, which is 2 metres.
  private static let sortedBits = 48
  private static let bitsPerPass = 12

  /// Returns entries in the order of the most significant 48 bits of their positions.
  ///
  /// - Complexity: O(n), by radix; for few entries O(n log n).
  static func sorted(_ entries: [CurveEntry]) -> [CurveEntry] {
    guard entries.count > 1024 else { return entries.sorted { $0.position < $1.position } }
    var (source, target) = (entries, entries)
    for shift in stride(from: 64 - sortedBits, to: 64, by: bitsPerPass) {
      let digit = { (entry: CurveEntry) in
        Int(truncatingIfNeeded: entry.position >> UInt64(shift)) & (1 << bitsPerPass - 1)
      }
      var ends = [Int](repeating: 0, count: 1 << bitsPerPass + 1)
      for entry in source { ends[digit(entry) + 1] += 1 }
      for value in 1..<ends.count { ends[value] += ends[value - 1] }
      for entry in source {
        target[ends[digit(entry)]] = entry
        ends[digit(entry)] += 1
      }
      swap(&source, &target)
    }
    return source
  }
}

extension Envelope {
  /// The position of the centre on a Z-order curve over all longitudes and latitudes.
  var positionOnCurve: UInt64 {
    let column = ((west + east) / 2 + 180) / 360
    let row = ((south + north) / 2 + 90) / 180
    return Self.spread(column) | Self.spread(row) << 1
  }

  /// Returns the 32 bits of a fraction from 0 to 1, with a zero bit after each bit.
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
  /// Returns the index of the first element that satisfies a condition, which all following elements
  /// satisfy, too.
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
  /// Removes each element that is equal to the preceding one.
  mutating func removeRepetitions() {
    var count = 0
    for index in indices where index == 0 || self[index] != self[count - 1] {
      self[count] = self[index]
      count += 1
    }
    removeSubrange(count...)
  }
}
