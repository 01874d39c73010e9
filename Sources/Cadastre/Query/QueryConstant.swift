import CadastreModel
import CadastrePredicate

/// Constants of type-safe conditions.
enum QueryConstant {
  /// Converts a value to an operand; a value that cannot be compared stops the process.
  static func operand<Constant: Persistable>(_ value: Constant) -> Operand {
    switch Constant.content(of: value) {
    case .value(let value): return .value(value)
    case .object(let object as EmbeddedObject)
    where object.position == nil || !(value is EmbeddedObject):
      // An unmanaged object, or an object to which a value is mapped, has no identity.
      return .members(members(of: object))
    case .object(let object): return .object(ObjectReference(to: object))
    case .elements where value is AnyRealmValue, .entries where value is AnyRealmValue:
      guard let nested = AnyRealmValue.stored(Constant.content(of: value)) else {
        ProgrammingError.stop(
          "A query cannot compare lists and maps that hold objects: compare the objects.")
      }
      return .value(nested)
    case .elements(let elements):
      let values = elements.compactMap(\.value)
      guard Constant.propertyShape.collection != nil, values.count == elements.count else {
        ProgrammingError.stop(
          "A query cannot compare lists of objects, or lists in values of any type: equality on "
            + "collections is not implemented. Compare their elements.")
      }
      return .list(values)
    case .entries:
      ProgrammingError.stop(
        "A query cannot compare maps: equality on collections is not implemented.")
    }
  }

  /// Returns the members of an embedded object; members without equality stop the process.
  static func members(of object: EmbeddedObject) -> [EmbeddedMember] {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try ClassInfo.members(of: object)
    }
  }

  /// Returns the single value of a constant for an ordered comparison or a search.
  static func value<Constant: Persistable>(_ value: Constant) -> CadastreModel.Value {
    guard case .value(let single) = Constant.content(of: value) else {
      ProgrammingError.stop("A query cannot compare '\(Constant.self)' by size.")
    }
    return single
  }
}

extension Query {
  /// Compares with a constant; a mapped embedded object compares member by member.
  func compared<Constant: Persistable>(
    _ operation: ComparisonOperator, _ constant: Constant
  ) -> Query<Bool> {
    let operand = QueryConstant.operand(constant)
    if case .members(let members) = operand {
      return Query<Bool>(queryPath.memberwise(operation, members))
    }
    return condition { side in
      // A list compares with the whole list property, not with its elements.
      if case .list = operand, case .elements(_, let path) = side {
        return .comparison(Comparison(.property(path), operation, operand))
      }
      return .comparison(Comparison(side, operation, operand))
    }
  }

  /// Matches values equal to one of the constants.
  func among<Constants: Sequence>(_ constants: Constants) -> Query<Bool>
  where Constants.Element: Persistable {
    let constants = Array(constants)
    let operands = constants.map { QueryConstant.operand($0) }
    let values = operands.compactMap { operand in
      if case .value(let value) = operand { value } else { nil }
    }
    if values.count == operands.count {
      return condition { .comparison(Comparison($0, .isIn, .list(values))) }
    }
    let objects = operands.compactMap { operand in
      if case .object(let object) = operand { object } else { nil }
    }
    if objects.count == operands.count {
      return condition { .comparison(Comparison($0, .isIn, .objects(objects))) }
    }
    let equalities = constants.map { compared(.equal, $0) }
    return equalities.dropFirst().reduce(equalities[0]) { $0 || $1 }
  }

  /// Compares with a constant by order, or as text.
  func compared<Constant: Persistable>(
    by operation: ComparisonOperator, _ constant: Constant, options: StringOptions = []
  ) -> Query<Bool> {
    let value = QueryConstant.value(constant)
    return condition { .comparison(Comparison($0, operation, .value(value), options: options)) }
  }

  /// Compares with another property.
  func compared<Other>(
    _ operation: ComparisonOperator, with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> {
    Query<Bool>(side.compared(operation, other.side, options))
  }
}
