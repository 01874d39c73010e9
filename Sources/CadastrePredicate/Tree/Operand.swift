public import CadastreGeometry
public import CadastreModel

/// How many of several values must fit.
public enum Quantifier: String, Hashable, Sendable, CaseIterable {
  /// At least one; so none of no values.
  case any = "ANY"
  /// Every one; so also those of no values.
  case all = "ALL"
  /// Not one; so also those of no values.
  case none = "NONE"

  /// A number of the quantifier, which is part of the form of a predicate.
  package var code: UInt {
    switch self {
    case .any: 0
    case .all: 1
    case .none: 2
    }
  }

  /// Whether as many elements fit as are wanted.
  package func holds<Elements: Sequence, Failure>(
    _ elements: Elements, _ fits: (Elements.Element) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    for element in elements where try fits(element) != (self == .all) { return self == .any }
    return self != .any
  }
}

/// A function of the elements of a collection.
public enum AggregateOperation: String, Hashable, Sendable, CaseIterable {
  /// The first element in order; null of none.
  case min = "@min"
  /// The last element in order; null of none.
  case max = "@max"
  /// The sum; 0 of none.
  case sum = "@sum"
  /// The sum divided by the number of elements; null of none.
  case average = "@avg"
}

/// An operation on two numbers.
public enum ArithmeticOperation: String, Hashable, Sendable, CaseIterable {
  /// Addition.
  case add = "+"
  /// Subtraction.
  case subtract = "-"
  /// Multiplication.
  case multiply = "*"
  /// Division.
  case divide = "/"
}

extension PredicateTree {
  /// One side of a comparison.
  public enum Operand: Hashable, Sendable {
    /// The value at the end of a path.
    ///
    /// Once bound, the ordinary case only: names through links and embedded objects to a single
    /// value, or to a whole list or set that is compared with a `list` or with `objects`.
    case property(Phase.Path)
    /// A constant.
    case value(Value)
    /// Several constants: the right side of IN and BETWEEN, or a whole list to be equal to.
    case list([Value])
    /// An object, to compare a link with.
    // Large and rare cases are indirect, which keeps the others, and the stack, small.
    indirect case object(ObjectReference)
    /// Several objects: the right side of IN, or a whole list or set to be equal to.
    case objects([ObjectReference])
    /// The content of an embedded object, a whole collection, or a list or map in a value of any type;
    /// binding replaces it by comparisons of members and elements.
    // Indirect, because a direct payload would enlarge all operands and the stack frames of the parser.
    indirect case content(Phase.Content)
    /// The values at the end of a path that leads to any number of them: through collections, to an
    /// element or entry that may be missing, or to a count, length or type.
    case elements(Quantifier, Phase.Path)
    /// Several constants; the quantifier says whether one or all must match.
    case constants(Quantifier, [Value])
    /// A compiled pattern, the right side of MATCHES and TEXT; only once bound.
    indirect case pattern(Phase.Pattern)
    /// One value computed from a collection.
    indirect case aggregate(Aggregate)
    /// The number of a collection's objects that match a predicate of their own.
    indirect case subquery(Subquery)
    /// An operand of an object around the subquery, see ``Outer``.
    indirect case outer(Outer)
    /// A number or a date computed from two others, see ``Arithmetic``.
    indirect case arithmetic(Arithmetic)
    /// The time at which the predicate is bound; binding replaces it by a date.
    case now(Phase.Now)
    /// The least distance of two geometries in metres, to compare with numbers of the object.
    indirect case distance(MeasuredDistance)
  }

  /// One value computed from the elements of a collection; nulls and NaN are ignored.
  public struct Aggregate: Hashable, Sendable {
    /// The function.
    public typealias Operation = AggregateOperation

    /// The function.
    public var operation: Operation
    /// The path to the collection.
    public var collection: Phase.Path
    /// The property of each object; nil in a collection of values.
    public var member: Phase.Path?

    /// Computes a value from a collection.
    @inlinable
    public init(
      _ operation: Operation, of collection: Phase.Path, member: Phase.Path? = nil
    ) {
      self.operation = operation
      self.collection = collection
      self.member = member
    }
  }

  /// The number of a collection's objects that match a predicate of their own.
  public struct Subquery: Hashable, Sendable {
    /// The path to the collection.
    public var collection: Phase.Path
    /// The predicate on each object; its paths begin at the object.
    public var predicate: PredicateTree

    /// Counts the objects of a collection that match a predicate.
    @inlinable
    public init(_ collection: Phase.Path, _ predicate: PredicateTree) {
      self.collection = collection
      self.predicate = predicate
    }
  }

  /// An operand of an object around a subquery: of the object whose collection the subquery counts, or of one further
  /// outside.
  public struct Outer: Hashable, Sendable {
    /// The operand, whose paths begin at the outer object.
    public var operand: Operand
    /// The number of subqueries to leave, from 1.
    public var level: Int

    /// Reads an operand of an outer object.
    @inlinable
    public init(_ operand: Operand, level: Int = 1) {
      self.operand = operand
      self.level = level
    }
  }

  /// A number or a date computed from two others.
  ///
  /// Null, and a value that is not a number, gives null. Integers divide towards zero without a
  /// remainder; division by zero gives null. A result beyond 64 bits is a `double`. A number is added to
  /// and subtracted from a date as seconds; the difference of two dates is a `double` of seconds.
  public struct Arithmetic: Hashable, Sendable {
    /// The operation.
    public typealias Operation = ArithmeticOperation

    /// The number on the left.
    public var left: Operand
    /// The operation.
    public var operation: Operation
    /// The number on the right.
    public var right: Operand

    /// Computes a number from two others.
    @inlinable
    public init(_ left: Operand, _ operation: Operation, _ right: Operand) {
      self.left = left
      self.operation = operation
      self.right = right
    }
  }

  /// The least distance of two geometries along the sphere, in metres.
  ///
  /// A missing or empty geometry has no distance, and matches no comparison. A distance that is compared with a
  /// constant is a ``GeometryRelation``.
  public struct MeasuredDistance: Hashable, Sendable {
    /// The left geometry.
    public var left: Phase.LeftSide
    /// The right geometry; not the geometries of objects of a class.
    public var right: GeometryRelation.Side
    /// How the edges run between positions.
    public var edges: EdgeModel
    /// The quantifier for several left geometries.
    public var quantifier: Quantifier

    /// Measures the distance of two geometries.
    ///
    /// - Parameters:
    ///   - left: The left geometry.
    ///   - right: The right geometry.
    ///   - edges: How the edges run between positions.
    ///   - quantifier: The quantifier for several left geometries.
    @inlinable
    public init(
      _ left: Phase.LeftSide, _ right: GeometryRelation.Side, edges: EdgeModel = .spherical,
      quantifier: Quantifier = .any
    ) {
      self.left = left
      self.right = right
      self.edges = edges
      self.quantifier = quantifier
    }

    /// Returns the relation of geometries whose distance compares with a constant.
    @inlinable
    public func compared(_ operation: ComparisonOperator, _ limit: Distance) -> GeometryRelation {
      GeometryRelation(
        left, .distance(operation, limit), right, edges: edges, quantifier: quantifier)
    }
  }
}
