public import CadastreModel

/// What is asked of the objects of a class: the one tree that predicate text and type-safe
/// queries both become.
///
/// Logic is two-valued. A comparison is true or false, also where a value is null, and `not` is its
/// plain complement; so `not(x == 1)` holds where x is null.
public indirect enum QueryPredicate: Sendable {
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
///
/// Where a side stands for several values, its quantifier says how many of them must fit; a left
/// quantifier covers a right one: `ALL {1, 2} IN marks` asks that for each constant there be a mark.
public struct Comparison: Hashable, Sendable {
  /// What stands on the left; a property wherever one side is one, once bound.
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

/// An object named in a predicate.
public struct ObjectReference: Hashable, Sendable {
  /// How the object is identified.
  public enum Identity: Hashable, Sendable {
    /// By the key of its row.
    case key(ObjectKey)
    /// By the value of its primary key.
    case primaryKey(Value)
    /// By its place in the row of its owner, for an embedded object that is kept there; the number
    /// tells it from those that are put in its place before and after it.
    case embedded(in: ObjectAddress, at: PropertyPath, number: Int64)
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

  /// The parts of a conjunction, or the predicate itself as its only part.
  package var conjuncts: [QueryPredicate] {
    if case .and(let parts) = self { parts } else { [self] }
  }
}
