import CadastreGeometry
import CadastrePredicate
import CadastreStore

/// Searches a spatial index for the geometries in a relation to a constant.
struct RelationClassifier: BoxClassifier {
  let start: Void = ()
  private let test: Test

  private enum Test {
    /// The box must meet the constant; a box inside of the constant is accepted.
    case common(PreparedGeometry)
    /// The box must contain the constant's core.
    case containing(Envelope)
    /// The box must be within a distance of the constant.
    case near(PreparedGeometry, Distance, acceptsInside: Bool)
  }

  /// Searches for a relation; nil where the right side is not a constant or the constant is empty.
  init?(_ relation: BoundRelation) {
    guard let constant = relation.right.constant, !constant.isEmpty else { return nil }
    switch relation.kind {
    case .intersects, .within: test = .common(constant)
    case .contains, .equals: test = .containing(constant.coreEnvelope)
    // A box inside of the constant meets it, and does not decide the relation.
    case .touches, .crosses, .overlaps: test = .near(constant, .zero, acceptsInside: false)
    case .distance(let operation, let limit):
      test = .near(
        constant, limit, acceptsInside: operation == .lessOrEqual || limit > .zero)
    case .disjoint: return nil
    }
  }

  func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: Void,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    for (index, box) in boxes.enumerated() {
      relations[index] = relation(
        of: Envelope(
          west: Double(box[0]), south: Double(box[2]), east: Double(box[1]),
          north: Double(box[3])))
    }
  }

  private func relation(of box: Envelope) -> EnvelopeRelation {
    switch test {
    case .common(let constant): return constant.classify(box)
    case .containing(let core):
      let contains =
        box.west <= core.west && box.east >= core.east
        && box.south <= core.south && box.north >= core.north
      return contains ? .intersects : .disjoint
    case .near(let constant, let limit, let acceptsInside):
      let relation = constant.classify(box)
      if relation == .inside { return acceptsInside ? .inside : .intersects }
      if relation == .intersects { return .intersects }
      return constant.minimumDistance(to: box) <= limit ? .intersects : .disjoint
    }
  }

  func residual(at index: Int) {}
}
