import CadastreModel
import CadastrePredicate

/// The meaning of a Swift value that is compared with a property.
enum QueryConstant {
  /// Returns the operand of a value: one that can be compared with nothing stops the process.
  static func operand<Constant: Persistable>(_ value: Constant) -> Operand {
    switch Constant.content(of: value) {
    case .value(let value): return .value(value)
    case .object(let object as EmbeddedObject)
    where object.position == nil || !(value is EmbeddedObject):
      // An object that is not stored, or that a value is mapped to, has no identity.
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

  /// Returns the members of an embedded object; ones that have no equality stop the process.
  static func members(of object: EmbeddedObject) -> [EmbeddedMember] {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try ClassInfo.members(of: object)
    }
  }

  /// Returns the single value of a constant that is compared by size, or searched for.
  static func value<Constant: Persistable>(_ value: Constant) -> CadastreModel.Value {
    guard case .value(let single) = Constant.content(of: value) else {
      ProgrammingError.stop("A query cannot compare '\(Constant.self)' by size.")
    }
    return single
  }
}

extension Query {
  /// Compares the values with a constant, a mapped embedded object member by member.
  func compared<Constant: Persistable>(
    _ operation: ComparisonOperator, _ constant: Constant
  ) -> Query<Bool> {
    let operand = QueryConstant.operand(constant)
    if case .members(let members) = operand {
      return Query<Bool>(queryPath.memberwise(operation, members))
    }
    return condition { side in
      // A list compares with a whole list; elsewhere it would mean any of its elements.
      if case .list = operand, case .elements(_, let path) = side {
        return .comparison(Comparison(.property(path), operation, operand))
      }
      return .comparison(Comparison(side, operation, operand))
    }
  }

  /// Compares the values with some constants, of which one must be equal.
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

  /// Compares the values with a constant by size, or as text.
  func compared<Constant: Persistable>(
    by operation: ComparisonOperator, _ constant: Constant, options: StringOptions = []
  ) -> Query<Bool> {
    let value = QueryConstant.value(constant)
    return condition { .comparison(Comparison($0, operation, .value(value), options: options)) }
  }

  /// Compares the values with those of another property.
  func compared<Other>(
    _ operation: ComparisonOperator, with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> {
    Query<Bool>(side.compared(operation, other.side, options))
  }
}
