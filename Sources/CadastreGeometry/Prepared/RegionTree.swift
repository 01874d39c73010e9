/// A Boolean expression of regions.
package indirect enum RegionTree: Sendable {
  /// A region.
  case region(PreparedRegion)
  /// The complement.
  case not(RegionTree)
  /// The intersection of all operands.
  case and([RegionTree])
  /// The union of all operands.
  case or([RegionTree])
}

extension RegionTree {
  /// The relations of a batch of boxes to the regions of a tree.
  ///
  /// The relations are as conservative as `PreparedRegion.relation(to:)`.
  package indirect enum Relations {
    case region(PreparedRegion, [EnvelopeRelation])
    case not(Relations)
    case and([Relations])
    case or([Relations])
  }

  /// Classifies boxes relative to each region.
  ///
  /// - Parameter boxes: West, east, south and north of each box, in degrees.
  /// - Returns: A tree of the same form.
  /// - Complexity: O(r · n) for r regions and n boxes of the size of a point.
  package func relations(of boxes: UnsafeBufferPointer<SIMD4<Float>>) -> Relations {
    switch self {
    case .region(let region):
      // An array without capacity would write its count into the empty array that all threads share.
      guard !boxes.isEmpty else { return .region(region, []) }
      let relations = [EnvelopeRelation](unsafeUninitializedCapacity: boxes.count) {
        buffer, count in
        if let start = buffer.baseAddress { region.relations(of: boxes, start) }
        count = boxes.count
      }
      return .region(region, relations)
    case .not(let inner): return .not(inner.relations(of: boxes))
    case .and(let parts): return .and(parts.map { $0.relations(of: boxes) })
    case .or(let parts): return .or(parts.map { $0.relations(of: boxes) })
    }
  }
}

extension RegionTree.Relations {
  /// Returns the relation of a box to the expression.
  package func relation(_ box: Int) -> EnvelopeRelation {
    switch self {
    case .region(_, let relations): return relations[box]
    case .not(let inner):
      return switch inner.relation(box) {
      case .inside: .disjoint
      case .disjoint: .inside
      case .intersects: .intersects
      }
    case .and(let parts):
      return EnvelopeRelation.combined(parts, dominant: .disjoint, neutral: .inside) {
        $0.relation(box)
      }
    case .or(let parts): return EnvelopeRelation.union(of: parts) { $0.relation(box) }
    }
  }

  /// Returns the residual filter for points inside a box that intersects the border.
  ///
  /// The filter contains only the operands whose border may intersect the box.
  ///
  /// - Parameter box: The index of the box.
  /// - Returns: An expression with the same result for all points of the box.
  package func residual(_ box: Int) -> RegionTree {
    switch self {
    case .region(let region, _): return .region(region)
    case .not(let inner): return .not(inner.residual(box))
    case .and(let parts):
      let residuals = Self.residuals(box, of: parts)
      return residuals.count == 1 ? residuals[0] : .and(residuals)
    case .or(let parts):
      let residuals = Self.residuals(box, of: parts)
      return residuals.count == 1 ? residuals[0] : .or(residuals)
    }
  }

  private static func residuals(_ box: Int, of parts: [Self]) -> [RegionTree] {
    parts.compactMap { $0.relation(box) == .intersects ? $0.residual(box) : nil }
  }
}
