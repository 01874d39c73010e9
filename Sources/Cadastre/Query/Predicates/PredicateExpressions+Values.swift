import CadastreGeometry
import CadastreModel
import CadastrePredicate
import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { try translation.variable(key) }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    // A failed dynamic cast takes longer than the rest of the translation of a constant.
    if DynamicValue.isCommonScalar(value) { return .constant(value) }
    if let range = value as? any ConstantRange { return range.term }
    return .constant(DynamicValue.isNull(value) ? nil : value)
  }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { .constant(nil) }
}

extension PredicateExpressions.KeyPath: TranslatableExpression
where Root: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (root, keyPath) = (try root.term(in: &translation), keyPath as AnyKeyPath)
    // The other cases need metadata, which takes longer than the rest of the translation.
    if case .path(let path) = root, let steps = PropertyNames.recordedSteps(of: keyPath) {
      return .path(path.appending(steps))
    }
    let current = translation
    return try root.mapped { (root) throws(QueryPredicateError) in
      try term(of: root, current)
    }
  }

  private func term(
    of root: PredicateTerm, _ translation: PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    switch root {
    case .path(let path):
      if let type = Root.Output.self as? ObjectBase.Type {
        guard let steps = type.propertySteps(of: keyPath) else {
          throw .unsupported(
            "a key path from '\(type.className())' leads to no property that is marked @Persisted")
        }
        return .path(path.appending(steps))
      }
      if isRawValue { return root }
      if let measure = Geometry.measure(at: keyPath) {
        return .path(path.appending(.property(measure.rawValue)))
      }
      if let relation = keyPath as? KeyPath<Geometry, GeometrySet> {
        return .constant(
          GeometrySet(
            .path(try translation.propertyPath(of: path)), Geometry()[keyPath: relation].kind))
      }
      if keyPath is KeyPath<Geometry, GeometryDistances> {
        return .constant(GeometryDistances(side: .path(try translation.propertyPath(of: path))))
      }
      return try aspect(of: path, translation)
    case .constant(let set as GeometrySet):
      guard let set = set as? Root.Output, Output.self == GeometrySet.self else {
        throw .unsupported("a key path from '\(Root.Output.self)' has no meaning in a query")
      }
      return .constant(set[keyPath: keyPath])
    case .constant(let container as any GeometryContainer):
      guard let container = container as? Root.Output,
        Output.self == GeometrySet.self || Output.self == GeometryDistances.self
      else {
        throw .unsupported("a key path from '\(Root.Output.self)' has no meaning in a query")
      }
      return .constant(container[keyPath: keyPath])
    case .filtered(let path, let predicate):
      let count = Operand.subquery(Subquery(try translation.propertyPath(of: path), predicate))
      switch aspect {
      case .count: return .operand(count)
      case .isEmpty: return .condition(.comparison(Comparison(count, .equal, .value(.int(0)))))
      default: throw .unsupported("of filtered objects only the count, or whether there are any")
      }
    case .constant(nil): return root
    default: throw .unsupported("a key path from '\(Root.Output.self)' has no meaning in a query")
    }
  }

  /// Returns the number of elements, or the first or last element.
  private func aspect(
    of path: PredicatePath, _ translation: PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    if Root.Output.self == String.self {
      guard aspect == .isEmpty else {
        throw .unsupported("the characters of a text are not counted: test whether it is empty")
      }
      return .condition(try translation.compare(.path(path), .equal, .constant("")))
    }
    let count = Operand.count(of: try translation.propertyPath(of: path))
    let isEmpty = QueryPredicate.comparison(Comparison(count, .equal, .value(.int(0))))
    switch aspect {
    case .count: return .operand(count)
    case .isEmpty: return .condition(isEmpty)
    case .first: return Self.element(path.appending(.first), isEmpty)
    case .last: return Self.element(path.appending(.last), isEmpty)
    case nil:
      throw .unsupported("a key path from '\(Root.Output.self)' has no meaning in a query")
    }
  }

  /// Returns an element, or null if there is none.
  private static func element(_ path: PredicatePath, _ isEmpty: QueryPredicate) -> PredicateTerm {
    var path = path
    path.isNeverNull = (Root.Output.self as? any CountedCollection.Type)?.holdsNull == false
    return .cases([(isEmpty.negated, .path(path)), (isEmpty, .constant(nil))])
  }

  private var isRawValue: Bool {
    (Root.Output.self as? any PersistableEnum.Type)?.isRawValue(keyPath) ?? false
  }

  private var aspect: CollectionAspect? {
    (Root.Output.self as? any CountedCollection.Type)?.aspect(of: keyPath)
      ?? kind.flatMap { CollectionAspect($0) }
  }
}

/// A property of a collection that a key path may refer to.
enum CollectionAspect {
  case count, isEmpty, first, last

  init?<Root, Output>(_ kind: PredicateExpressions.KeyPath<Root, Output>.CommonKeyPathKind) {
    switch kind {
    case .collectionCount: self = .count
    case .collectionIsEmpty: self = .isEmpty
    case .collectionFirst: self = .first
    case .bidirectionalCollectionLast: self = .last
    @unknown default: return nil
    }
  }
}

/// A collection with key paths to its count and its elements.
protocol CountedCollection {
  /// Returns the collection's property of a key path; nil for other key paths.
  static func aspect(of keyPath: AnyKeyPath) -> CollectionAspect?
  /// Whether elements may be null.
  static var holdsNull: Bool { get }
}

extension List: CountedCollection {
  static var holdsNull: Bool { Element.self is any OptionalValue.Type }

  static func aspect(of keyPath: AnyKeyPath) -> CollectionAspect? {
    switch keyPath {
    case \List.count: .count
    case \List.isEmpty: .isEmpty
    case \List.first: .first
    case \List.last: .last
    default: nil
    }
  }
}

extension MutableSet: CountedCollection {
  static var holdsNull: Bool { Element.self is any OptionalValue.Type }

  static func aspect(of keyPath: AnyKeyPath) -> CollectionAspect? {
    switch keyPath {
    case \MutableSet.count: .count
    case \MutableSet.isEmpty: .isEmpty
    default: nil
    }
  }
}

extension LinkingObjects: CountedCollection {
  static var holdsNull: Bool { Element.self is any OptionalValue.Type }

  static func aspect(of keyPath: AnyKeyPath) -> CollectionAspect? {
    switch keyPath {
    case \LinkingObjects.count: .count
    case \LinkingObjects.isEmpty: .isEmpty
    default: nil
    }
  }
}

extension Map: CountedCollection {
  static var holdsNull: Bool { Value.self is any OptionalValue.Type }

  static func aspect(of keyPath: AnyKeyPath) -> CollectionAspect? {
    switch keyPath {
    case \Map.count: .count
    case \Map.isEmpty: .isEmpty
    default: nil
    }
  }
}

extension Geometry {
  /// Returns the measure of a key path from a geometry; nil for other key paths.
  fileprivate static func measure(at keyPath: AnyKeyPath) -> GeometryMeasure? {
    switch keyPath {
    case \Geometry.area: .area
    case \Geometry.perimeter: .perimeter
    case \Geometry.length: .length
    case \Geometry.positionCount: .positionCount
    case \Geometry.centroid: .centroid
    default: nil
    }
  }
}

extension PersistableEnum {
  /// Returns whether a key path leads to the raw value.
  ///
  /// The key path of a program names the property of its enumeration. It is not equal to the key path of the
  /// protocol's requirement, so the values of all cases are compared.
  fileprivate static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    guard let keyPath = keyPath as? KeyPath<Self, RawValue> else { return false }
    return allCases.allSatisfy { $0[keyPath: keyPath] == $0.rawValue }
  }
}

extension ObjectBase {
  /// Returns the steps of a key path from this class; nil if it leads to no persisted property.
  fileprivate static func propertySteps(of keyPath: AnyKeyPath) -> [PropertyPath.Step]? {
    guard let keyPath = keyPath as? PartialKeyPath<Self> else { return nil }
    return PropertyNames.persistedSteps(of: keyPath)
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let wrapped = try wrapped.term(in: &translation)
    let current = translation
    return try wrapped.mapped { (wrapped) throws(QueryPredicateError) in
      try transformed(wrapped, current)
    }
  }

  private func transformed(
    _ wrapped: PredicateTerm, _ translation: PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    if case .constant(nil) = wrapped { return wrapped }
    var translation = translation
    let inner = try translation.term(transform, with: variable.key, as: wrapped)
    // A path through null evaluates to null.
    if case .path = inner { return inner }
    let isNull = try translation.isNull(wrapped)
    return .cases([(isNull.negated, inner), (isNull, .constant(nil))])
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (left, right) = (try lhs.term(in: &translation), try rhs.term(in: &translation))
    return try Self.coalesced(left, right, translation)
  }

  private static func coalesced(
    _ left: PredicateTerm, _ right: PredicateTerm, _ translation: PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    switch left {
    case .constant(nil): return right
    case .constant, .condition: return left
    case .cases:
      return try left.mapped { (term) throws(QueryPredicateError) in
        try coalesced(term, right, translation)
      }
    default:
      let isNull = try translation.isNull(left)
      return .cases([(isNull.negated, left), (isNull, right)])
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression
where Inner: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let current = translation
    return try inner.term(in: &translation).mapped { (term) throws(QueryPredicateError) in
      switch term {
      case .constant(nil): .cases([])
      case .constant, .condition: term
      default: .cases([(try current.isNull(term).negated, term)])
      }
    }
  }
}
