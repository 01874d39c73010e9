package import CadastreGeometry

/// Classifies the bounding boxes of a spatial index by their relation to the searched region.
package protocol BoxJudge {
  /// The part of the search that is undecided inside of a box.
  associatedtype Open

  /// The search of the whole index.
  var start: Open { get }

  /// Classifies boxes of west, east, south and north in degrees; writes one relation per box.
  mutating func judge(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ open: Open,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>)

  /// Returns the undecided part of the search inside of a box, given by its index in the last call, which
  /// straddles a border.
  func open(at index: Int) -> Open
}

/// Searches for the points in regions combined by AND, OR and NOT.
///
/// Inside of a box only the regions are tested whose borders cross it.
package struct RegionJudge: BoxJudge {
  package let start: RegionTree
  private var last: RegionTree
  private var relations: RegionTree.Relations?

  /// Searches for the points in regions.
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
    for index in boxes.indices { relations[index] = several.relation(index) }
    self.relations = several
  }

  package func open(at index: Int) -> RegionTree { relations?.residual(index) ?? last }
}

/// Searches for the points at a location, within the precision of 32-bit floats.
package struct PlaceJudge: BoxJudge {
  package let start: Void = ()
  private let longitude: Double
  private let latitude: Double

  /// Searches for a location in degrees.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  package func judge(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ open: Void,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    for (index, box) in boxes.enumerated() {
      let contains =
        longitude >= Double(box[0]) && longitude <= Double(box[1])
        && latitude >= Double(box[2]) && latitude <= Double(box[3])
      relations[index] = contains ? .intersects : .disjoint
    }
  }

  package func open(at index: Int) {}
}
