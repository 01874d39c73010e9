public import CadastreGeometry
public import CadastreModel

/// What is asked of the objects of a class: the one tree that predicate text and type-safe
/// queries both become.
///
/// Logic is two-valued. A comparison is true or false, also where a value is null, and `not` is its
/// plain complement; so `not(x == 1)` holds where x is null.
public indirect enum QueryPredicate: Hashable, Sendable {
  /// Every object, or none.
  case constant(Bool)
  /// Every object that the other predicate leaves out.
  case not(QueryPredicate)
  /// The objects that match all parts; all of them when there are no parts.
  case and([QueryPredicate])
  /// The objects that match some part; none of them when there are no parts.
  case or([QueryPredicate])
  /// A property beside a value, several values or another property.
  case comparison(Comparison)
  /// A point inside a region, its border included.
  case geoWithin(GeoWithin)
}

/// Two operands and how they are compared.
public struct Comparison: Hashable, Sendable {
  /// What stands on the left; a property, once bound.
  public var left: Operand
  /// How the two are compared.
  public var operation: ComparisonOperator
  /// How strings are compared.
  public var options: StringOptions
  /// What stands on the right.
  public var right: Operand

  /// Compares two operands.
  public init(
    _ left: Operand, _ operation: ComparisonOperator, _ right: Operand,
    options: StringOptions = []
  ) {
    self.left = left
    self.operation = operation
    self.options = options
    self.right = right
  }
}

/// One side of a comparison.
public enum Operand: Hashable, Sendable {
  /// The value at the end of a path.
  case property(PropertyPath)
  /// A constant.
  case value(Value)
  /// Several constants: the right side of IN and BETWEEN, or a whole list to be equal to.
  case list([Value])
  /// An object, to compare a link with.
  case object(ObjectReference)
}

/// An object named in a predicate.
public struct ObjectReference: Hashable, Sendable {
  /// How the object is identified.
  public enum Identity: Hashable, Sendable {
    /// By the key of its row.
    case key(ObjectKey)
    /// By the value of its primary key.
    case primaryKey(Value)
    /// Not stored anywhere: equal to nothing.
    case unmanaged
  }

  /// The name of its class.
  public var className: String
  /// Which of the class it is.
  public var identity: Identity
  /// The path of the store that the object lives in, where a key alone would not say; nil where the
  /// store that is asked is meant.
  package var store: String?

  /// Names an object.
  public init(className: String, identity: Identity) {
    self.className = className
    self.identity = identity
  }
}

/// Whether the point at the end of a path lies in a region.
public struct GeoWithin: Hashable, Sendable {
  /// The way to an embedded object in the shape of a GeoJSON point.
  public var path: PropertyPath
  /// The region, its border included.
  public var shape: GeoShape
  /// How the edges of boxes and polygons run between their corners.
  public var edges: EdgeModel

  /// Asks whether the point at `path` lies in `shape`.
  public init(_ path: PropertyPath, _ shape: GeoShape, edges: EdgeModel = .spherical) {
    self.path = path
    self.shape = shape
    self.edges = edges
  }
}

extension QueryPredicate {
  /// Compares the property at a path with a value.
  package static func compare(
    _ path: PropertyPath, _ operation: ComparisonOperator, _ value: Value,
    options: StringOptions = []
  ) -> QueryPredicate {
    .comparison(Comparison(.property(path), operation, .value(value), options: options))
  }

  /// The conjunction of the parts, without a wrapper round a single one and without nesting.
  package static func all(_ parts: [QueryPredicate]) -> QueryPredicate {
    let flat = parts.flatMap { part in
      if case .and(let inner) = part { inner } else { [part] }
    }
    return flat.count == 1 ? flat[0] : .and(flat)
  }

  /// The disjunction of the parts, without a wrapper round a single one and without nesting.
  package static func any(_ parts: [QueryPredicate]) -> QueryPredicate {
    let flat = parts.flatMap { part in
      if case .or(let inner) = part { inner } else { [part] }
    }
    return flat.count == 1 ? flat[0] : .or(flat)
  }

  /// The parts of a conjunction, or the predicate itself as its only part.
  package var conjuncts: [QueryPredicate] {
    if case .and(let parts) = self { parts } else { [self] }
  }
}

extension QueryPredicate {
  /// The paths of all properties that are asked about, from left to right.
  package var paths: [PropertyPath] {
    switch self {
    case .not(let inner): inner.paths
    case .and(let parts), .or(let parts): parts.flatMap(\.paths)
    case .comparison(let comparison):
      [comparison.left, comparison.right].compactMap { operand in
        if case .property(let path) = operand { path } else { nil }
      }
    case .geoWithin(let within): [within.path]
    case .constant: []
    }
  }

  /// The objects that links are compared with, from left to right.
  package var objectReferences: [ObjectReference] {
    switch self {
    case .not(let inner): inner.objectReferences
    case .and(let parts), .or(let parts): parts.flatMap(\.objectReferences)
    case .comparison(let comparison):
      [comparison.left, comparison.right].compactMap { operand in
        if case .object(let reference) = operand { reference } else { nil }
      }
    case .constant, .geoWithin: []
    }
  }
}
