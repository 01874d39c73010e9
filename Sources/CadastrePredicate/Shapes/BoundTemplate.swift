import CadastreModel

/// A bound predicate whose constants and regions can be replaced by others of the same types.
///
/// Most constants are bound as they are (see ``PropertyType/takesUnchanged(_:)``), so that a predicate with
/// other constants need not be bound again.
struct BoundTemplate: Sendable {
  /// The use of an argument.
  private struct Slot {
    /// The index of the condition.
    let part: Int
    /// The index of the argument.
    let argument: Int
    /// The type of the property; nil for a region.
    let type: PropertyType?
  }

  /// The identity of the schema to which the predicate is bound.
  private let schema: QueryShapes.Identity
  /// The queried class.
  private let className: String
  /// The conjuncts.
  private let parts: [BoundPredicate]
  private let slots: [Slot]

  /// Creates the template of a bound predicate.
  ///
  /// - Returns: Nil where the predicate is not a conjunction of conditions in the order of the text, names
  ///   objects, or has an argument that is not a plain constant or region.
  init?(
    _ bound: BoundPredicate, of template: PredicateTemplate, in shapes: QueryShapes,
    _ className: String
  ) {
    let leaves: [QueryPredicate]
    switch template.predicate {
    case .and(let parts) where QueryPredicate.areLeaves(parts): leaves = parts
    case .not, .and, .or: return nil
    default: leaves = [template.predicate]
    }
    parts = bound.conjuncts
    var namesObjects = false
    template.predicate.forEachObjectReference { _ in namesObjects = true }
    guard parts.count == leaves.count, !namesObjects else { return nil }
    var slots: [Slot] = []
    for slot in template.slots {
      let type: PropertyType?
      switch (leaves[slot.leaf], parts[slot.leaf]) {
      case (_, .geoWithin): type = nil
      case (.comparison(let named), .comparison(let comparison)):
        type = comparison.replaceableType
        guard type != nil, named.operation == comparison.operation else { return nil }
      default: return nil
      }
      slots.append(Slot(part: slot.leaf, argument: slot.argument, type: type))
    }
    self.slots = slots
    self.className = className
    schema = shapes.identity
  }

  /// The predicate with other arguments; nil where it is bound to other classes, or an argument needs a
  /// conversion or a check.
  func filled(
    _ arguments: [PredicateArgument], in shapes: QueryShapes, _ className: String
  ) -> BoundPredicate? {
    guard schema === shapes.identity, self.className == className else { return nil }
    if parts.count == 1 {
      return slots.isEmpty ? parts[0] : Self.filled(parts[0], slots[0], arguments)
    }
    var parts = parts
    for slot in slots {
      guard let part = Self.filled(parts[slot.part], slot, arguments) else { return nil }
      parts[slot.part] = part
    }
    return .and(parts)
  }

  private static func filled(
    _ part: BoundPredicate, _ slot: Slot, _ arguments: [PredicateArgument]
  ) -> BoundPredicate? {
    switch (part, arguments[slot.argument]) {
    case (.comparison(var comparison), .value(let value))
    where slot.type?.takesUnchanged(value) == true:
      comparison.right = .value(value)
      return .comparison(comparison)
    case (.geoWithin(let within), .shape(let shape)):
      // A region that cannot be prepared is an error of binding.
      guard let region = try? PreparedRegions.region(shape, edges: within.edges) else { return nil }
      return .geoWithin(
        BoundGeoWithin(
          within.path, PreparedConstant(shape, region), edges: within.edges,
          quantifier: within.quantifier))
    default: return nil
    }
  }
}

extension BoundComparison {
  /// The type whose values can take the place of the constant on the right without a conversion; nil where
  /// the operand on the left, the operator or the constant is of another kind.
  fileprivate var replaceableType: PropertyType? {
    guard case .property(let path) = left, path.isOrdinary, case .value(let type) = path.end,
      case .value = right, !operation.takesPattern
    else { return nil }
    return type
  }
}
