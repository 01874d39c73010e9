/// Regions joined by AND, OR and NOT, asked about together.
package indirect enum RegionTree: Sendable {
  /// A region.
  case region(PreparedRegion)
  /// All places that are not there.
  case not(RegionTree)
  /// The places that are in all parts.
  case and([RegionTree])
  /// The places that are in some part.
  case or([RegionTree])
}

extension RegionTree {
  /// How boxes lie to the regions of a tree, box by box.
  ///
  /// As safe as `PreparedRegion.relation(to:)`: what is not certain straddles.
  package indirect enum Relations {
    case region(PreparedRegion, [EnvelopeRelation])
    case not(Relations)
    case and([Relations])
    case or([Relations])
  }

  /// How boxes of west, east, south and north lie to each of the regions.
  package func relations(of boxes: UnsafeBufferPointer<SIMD4<Float>>) -> Relations {
    switch self {
    case .region(let region):
      let relations = [EnvelopeRelation](unsafeUninitializedCapacity: boxes.count) { found, count in
        if let start = found.baseAddress { region.relations(of: boxes, start) }
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
  /// How a box lies to the whole.
  package func relation(_ box: Int) -> EnvelopeRelation {
    switch self {
    case .region(_, let relations): return relations[box]
    case .not(let inner):
      return switch inner.relation(box) {
      case .inside: .disjoint
      case .disjoint: .inside
      case .straddles: .straddles
      }
    case .and(let parts): return Self.relation(box, of: parts, unless: .disjoint, all: .inside)
    case .or(let parts): return Self.relation(box, of: parts, unless: .inside, all: .disjoint)
    }
  }

  /// What decides by itself if one part says it; else what all of them must say.
  private static func relation(
    _ box: Int, of parts: [Self], unless deciding: EnvelopeRelation, all common: EnvelopeRelation
  ) -> EnvelopeRelation {
    var found = common
    for part in parts {
      let relation = part.relation(box)
      if relation == deciding { return deciding }
      if relation == .straddles { found = .straddles }
    }
    return found
  }

  /// What is left to ask inside a box that straddles: the parts that do so by themselves.
  package func open(_ box: Int) -> RegionTree {
    switch self {
    case .region(let region, _): return .region(region)
    case .not(let inner): return .not(inner.open(box))
    case .and(let parts):
      let open = Self.open(box, of: parts)
      return open.count == 1 ? open[0] : .and(open)
    case .or(let parts):
      let open = Self.open(box, of: parts)
      return open.count == 1 ? open[0] : .or(open)
    }
  }

  private static func open(_ box: Int, of parts: [Self]) -> [RegionTree] {
    parts.compactMap { $0.relation(box) == .straddles ? $0.open(box) : nil }
  }
}
