package import CadastreGeometry

/// Classifies the bounding boxes of a spatial index by their relation to the searched region.
package protocol BoxClassifier {
  /// The part of the search that is undecided inside of a box.
  associatedtype Residual

  /// The search of the whole index.
  var start: Residual { get }

  /// Classifies boxes of west, east, south and north in degrees; writes one relation per box.
  mutating func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: Residual,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>)

  /// Returns the undecided part of the search inside of a box, given by its index in the last call, which
  /// straddles a border.
  func residual(at index: Int) -> Residual
}

/// Searches for the points in regions combined by AND, OR and NOT.
///
/// Inside of a box only the regions are tested whose borders cross it.
package struct RegionClassifier: BoxClassifier {
  package let start: RegionTree
  private var last: RegionTree
  private var relations: RegionTree.Relations?

  /// Searches for the points in regions.
  package init(_ regions: RegionTree) {
    start = regions
    last = regions
  }

  package mutating func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: RegionTree,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    last = residual
    if case .region(let region) = residual {
      self.relations = nil
      return region.relations(of: boxes, relations)
    }
    let several = residual.relations(of: boxes)
    for index in boxes.indices { relations[index] = several.relation(index) }
    self.relations = several
  }

  package func residual(at index: Int) -> RegionTree { relations?.residual(index) ?? last }
}

/// Searches for the points at a location, within the precision of 32-bit floats.
package struct LocationClassifier: BoxClassifier {
  package let start: Void = ()
  private let longitude: Double
  private let latitude: Double

  /// Searches for a location in degrees.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  package func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: Void,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    for (index, box) in boxes.enumerated() {
      let contains =
        longitude >= Double(box[0]) && longitude <= Double(box[1])
        && latitude >= Double(box[2]) && latitude <= Double(box[3])
      relations[index] = contains ? .intersects : .disjoint
    }
  }

  package func residual(at index: Int) {}
}
