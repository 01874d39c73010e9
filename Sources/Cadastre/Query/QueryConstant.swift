import CadastreModel
import CadastrePredicate

/// Constants of type-safe conditions.
enum QueryConstant {
  /// Converts a value to an operand.
  static func operand<Constant: Persistable>(_ value: Constant) -> Operand {
    let shape = Constant.propertyShape
    if shape.type == .linkingObjects {
      ProgrammingError.stop(
        "A query cannot compare linking objects as a whole: compare their elements.")
    }
    let content = Constant.content(of: value)
    // Only a single embedded object is compared by identity, and not one to which another value is mapped.
    let isSingle = if case .object = content { value is EmbeddedObject } else { false }
    return operand(
      PredicateArgument(
        content, isMixed: shape.type == .any && shape.collection == nil, isMemberwise: !isSingle))
  }

  /// Converts an argument that is no region to an operand.
  static func operand(_ argument: PredicateArgument) -> Operand {
    argument.operand ?? .value(.null)
  }

  /// Returns the single value of a constant for an ordered comparison or a search.
  static func value<Constant: Persistable>(_ value: Constant) -> CadastreModel.Value {
    guard case .value(let single) = Constant.content(of: value) else {
      ProgrammingError.stop("A query cannot compare '\(Constant.self)' by size.")
    }
    return single
  }
}

/// Comparisons with constants.
// Not methods of the generic `Query`, because these would look up its metadata.
extension QueryNode {
  /// Compares with a constant: a value, the members of an embedded object, or a whole collection.
  func compared<Constant: Persistable>(
    _ operation: ComparisonOperator, _ constant: Constant
  ) -> Query<Bool> {
    let operand = QueryConstant.operand(constant)
    if operand.isMembers || Constant.propertyShape.collection != nil {
      return Query<Bool>(queryPath.whole(operation, operand))
    }
    return condition { .comparison(Comparison($0, operation, operand)) }
  }

  /// Compares with a constant by order, or as text.
  func compared<Constant: Persistable>(
    by operation: ComparisonOperator, _ constant: Constant, options: StringOptions = []
  ) -> Query<Bool> {
    let value = QueryConstant.value(constant)
    return condition { .comparison(Comparison($0, operation, .value(value), options: options)) }
  }
}

extension Query {
  /// Matches values equal to one of the constants.
  func among<Constants: Sequence>(_ constants: Constants) -> Query<Bool>
  where Constants.Element: Persistable {
    let constants = Array(constants)
    let operands = constants.map { QueryConstant.operand($0) }
    let values = operands.compactMap { operand in
      if case .value(let value) = operand { value } else { nil }
    }
    let areWhole = Constants.Element.propertyShape.collection != nil
    if values.count == operands.count, !areWhole || values.isEmpty {
      return condition { .comparison(Comparison($0, .isIn, .list(values))) }
    }
    let objects = operands.compactMap { operand in
      if case .object(let object) = operand { object } else { nil }
    }
    if objects.count == operands.count {
      return condition { .comparison(Comparison($0, .isIn, .objects(objects))) }
    }
    let equalities = constants.map { node.compared(.equal, $0) }
    return equalities.dropFirst().reduce(equalities[0]) { $0 || $1 }
  }

  /// Compares with another property.
  func compared<Other>(
    _ operation: ComparisonOperator, with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> {
    Query<Bool>(side.compared(operation, other.side, options))
  }
}

extension Operand {
  /// Whether the operand is the members of an embedded object.
  var isMembers: Bool { if case .content(.members) = self { true } else { false } }
}
