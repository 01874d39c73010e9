public import CadastreModel

/// A condition on the objects of a class, with names as they were written.
///
/// Predicate text, type-safe queries and `#Predicate` all become this tree:
///
///     let predicate = try QueryPredicate(parsing: "country == 'FR' AND elevation > 300")
///     let airports = try realm.objects(Airport.self).filter(predicate)
///
/// Logic is two-valued. A comparison is true or false, also where a value is null, and `not` is its
/// complement; so `not(x == 1)` matches where x is null.
public indirect enum QueryPredicate: Sendable {
  /// Matches every object, or none.
  case constant(Bool)
  /// Matches the objects that the other predicate does not match.
  case not(QueryPredicate)
  /// Matches the objects that match all parts; all objects when there are no parts.
  case and([QueryPredicate])
  /// Matches the objects that match some part; no objects when there are no parts.
  case or([QueryPredicate])
  /// Compares a property with a value, several values or another property.
  case comparison(Comparison)
  /// Matches points inside a region, its border included.
  case geoWithin(GeoWithin)
  /// Tests the relation of two geometries.
  case relation(GeometryRelation)
}

/// A comparison of two operands.
///
/// Where a side has several values, its quantifier says how many of them must match. A left
/// quantifier encloses a right one: `ALL {1, 2} IN marks` requires a mark for each constant.
public struct Comparison: Hashable, Sendable {
  /// The left side.
  public var left: Operand
  /// How the two are compared.
  public var operation: ComparisonOperator
  /// How strings are compared.
  public var options: StringOptions
  /// The right side.
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

/// An object named in a predicate.
public struct ObjectReference: Hashable, Sendable {
  /// How the object is identified.
  public enum Identity: Hashable, Sendable {
    /// By the key of its row.
    case key(ObjectKey)
    /// By the value of its primary key.
    case primaryKey(Value)
    /// By its field in the row of its owner, for an embedded object stored there; the number
    /// distinguishes it from the objects that the field holds before and after it.
    case embedded(in: ObjectAddress, at: PropertyPath, number: Int64)
    /// Not stored anywhere: equal to nothing.
    case unmanaged
  }

  /// The name of its class.
  public var className: String
  /// Which of the class it is.
  public var identity: Identity
  /// The path of the store of the object, where a key alone does not identify it; nil for the
  /// queried store.
  package var store: String?

  /// Names an object.
  public init(className: String, identity: Identity) {
    self.className = className
    self.identity = identity
  }
}

extension QueryPredicate {
  /// Compares the property at a path with a value.
  package static func compare(
    _ path: PropertyPath, _ operation: ComparisonOperator, _ value: Value,
    options: StringOptions = []
  ) -> QueryPredicate {
    .comparison(Comparison(.values(at: path), operation, .value(value), options: options))
  }

  /// The conjunction of the parts, without a wrapper round a single one and without nesting.
  package static func all(_ parts: [QueryPredicate]) -> QueryPredicate {
    let flat = parts.flatMap { part in
      if case .and(let inner) = part { inner } else { [part] }
    }
    if flat.isEmpty { return .constant(true) }
    return flat.count == 1 ? flat[0] : .and(flat)
  }

  /// The disjunction of the parts, without a wrapper round a single one and without nesting.
  package static func any(_ parts: [QueryPredicate]) -> QueryPredicate {
    let flat = parts.flatMap { part in
      if case .or(let inner) = part { inner } else { [part] }
    }
    if flat.isEmpty { return .constant(false) }
    return flat.count == 1 ? flat[0] : .or(flat)
  }

  /// The predicate of the other objects, without two negations round each other.
  package var negated: QueryPredicate {
    if case .not(let inner) = self { inner } else { .not(self) }
  }

  /// The parts of a conjunction, or the predicate itself as its only part.
  package var conjuncts: [QueryPredicate] {
    if case .and(let parts) = self { parts } else { [self] }
  }
}
