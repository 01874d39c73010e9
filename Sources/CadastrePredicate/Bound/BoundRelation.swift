package import CadastreGeometry
package import CadastreModel

/// A relation of the geometries at the end of a path to others.
package struct BoundRelation: Sendable {
  /// The geometries on the right.
  package enum Side: Sendable {
    /// One geometry of the same object, or of an object that it links to.
    case path(BoundPath)
    /// A constant, and the constant prepared.
    case constant(GeometryRelation.Side, PreparedGeometry)
    /// The geometries of objects of a class; the relation holds if it holds for one of them.
    indirect case objects(BoundObjectGeometries)
  }

  /// The path to a geometry or an embedded point, or to several.
  package var path: BoundPath
  /// The relation; never `disjoint`, which is the complement of `intersects`.
  package let kind: GeometryRelation.Kind
  /// The right side.
  package var right: Side
  /// How the edges run between positions.
  package let edges: EdgeModel
  /// How many of several geometries must be in the relation.
  package let quantifier: Quantifier
}

extension BoundRelation {
  /// Returns whether a geometry is in the relation to another one.
  package func holds(_ left: PreparedGeometry, _ right: PreparedGeometry) -> Bool {
    kind.holds(left, right)
  }

  /// The relation by name.
  package var named: QueryPredicate {
    let right: GeometryRelation.Side =
      switch self.right {
      case .path(let path): .path(path.path)
      case .constant(let constant, _): constant
      case .objects(let objects): .objects(objects.named)
      }
    return .regular(
      GeometryRelation(.path(path.path), kind, right, edges: edges, quantifier: quantifier))
  }

  /// Whether the right side is a constant.
  package var isWithConstant: Bool { if case .constant = right { true } else { false } }

  /// The paths, from left to right.
  package var paths: [BoundPath] {
    if case .path(let right) = right { [path, right] } else { [path] }
  }
}

extension BoundRelation: Hashable {
  /// The same paths, constants and relation.
  package static func == (first: BoundRelation, second: BoundRelation) -> Bool {
    first.path == second.path && first.named == second.named
  }

  /// Hashes what equality compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(named)
  }
}

extension BoundRelation {
  /// A relation to a geometry.
  ///
  /// - Parameters:
  ///   - path: The path to the left geometries, of which any may be in the relation.
  ///   - kind: The relation; not `disjoint`.
  ///   - geometry: The right geometry; not a circle.
  ///   - edges: How the edges run between positions.
  package init(
    _ path: BoundPath, _ kind: GeometryRelation.Kind, _ geometry: LocatedGeometry, edges: EdgeModel
  ) {
    let prepared = geometry.prepared(edges)
    self.init(
      path: path, kind: kind,
      right: .constant(.geometry(prepared.geometry ?? Geometry()), prepared),
      edges: edges, quantifier: .any)
  }
}

/// The geometries of the objects of a class that match a predicate.
package struct BoundObjectGeometries: Sendable {
  /// The class of the objects.
  package let root: ObjectSchema
  /// The path to their geometries.
  package let path: BoundPath
  /// The predicate that the objects match.
  package let predicate: BoundPredicate

  /// The geometries by name.
  package var named: ObjectGeometries {
    ObjectGeometries(of: root.className, at: path.path, where: predicate.named)
  }

  /// The objects as a query.
  package var query: BoundQuery { BoundQuery(root.className, where: predicate) }
}

extension BoundPredicate {
  /// The predicate with relations to objects of a class replaced.
  ///
  /// - Parameter replacement: Called with each such relation and the objects; nil keeps it.
  /// - Returns: The predicate; the same one where it has no such relation.
  /// - Throws: The error of the closure.
  package func replacingRelationsToObjects(
    _ replacement: (BoundRelation, BoundObjectGeometries) throws -> BoundPredicate?
  ) throws -> BoundPredicate {
    var hasRelations = false
    forEachLeaf { leaf in
      if case .relation(let relation) = leaf, case .objects = relation.right { hasRelations = true }
    }
    guard hasRelations else { return self }
    return try folded { leaf in
      guard case .relation(let relation) = leaf, case .objects(let objects) = relation.right
      else { return leaf }
      return try replacement(relation, objects) ?? leaf
    } node: {
      BoundPredicate($0)
    }
  }
}
