package import CadastreGeometry

/// Says how the boxes of an index lie to what is looked for.
package protocol BoxJudge {
  /// What is still to be asked inside of a box.
  associatedtype Open

  /// What is asked of the whole index.
  var start: Open { get }

  /// Judges boxes of west, east, south and north in degrees; as many answers as there are boxes.
  mutating func judge(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ open: Open,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>)

  /// What is still to be asked inside of one of the boxes that were judged last, which straddles.
  func open(at place: Int) -> Open
}

/// Looks for the points in regions joined by AND, OR and NOT.
///
/// Inside of a box only those regions are asked about whose borders pass through it.
package struct RegionJudge: BoxJudge {
  package let start: RegionTree
  private var last: RegionTree
  private var relations: RegionTree.Relations?

  /// Looks for the points in regions.
  package init(_ regions: RegionTree) {
    start = regions
    last = regions
  }

  package mutating func judge(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ open: RegionTree,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    last = open
    if case .region(let region) = open {
      self.relations = nil
      return region.relations(of: boxes, relations)
    }
    let several = open.relations(of: boxes)
    for place in boxes.indices { relations[place] = several.relation(place) }
    self.relations = several
  }

  package func open(at place: Int) -> RegionTree { relations?.residual(place) ?? last }
}

/// Looks for the points that may be at one place, as near as 32-bit floats can tell.
package struct PlaceJudge: BoxJudge {
  package let start: Void = ()
  private let longitude: Double
  private let latitude: Double

  /// Looks for a place in degrees.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  package func judge(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ open: Void,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    for (place, box) in boxes.enumerated() {
      let isThere =
        longitude >= Double(box[0]) && longitude <= Double(box[1])
        && latitude >= Double(box[2]) && latitude <= Double(box[3])
      relations[place] = isThere ? .intersects : .disjoint
    }
  }

  package func open(at place: Int) {}
}
