import CadastreModel
import CadastrePredicate

/// Random contents of embedded objects, collections and values of any type.
extension RandomCollectionPredicates {
  /// Returns content for the end of a path; nil where only values are compared.
  func content(
    of end: BoundPath.End, _ random: inout SeededGenerator
  ) -> PredicateArgument? {
    switch end {
    case .object(let target): return target.isEmbedded ? members(of: target, &random) : nil
    case .collection(let property, _) where property.type == .linkingObjects: return nil
    case .collection(let property, let target):
      let elements = (0..<random.below(3)).map { _ in element(of: property, target, &random) }
      guard property.isMap else { return PredicateArgument(elements: elements) }
      return PredicateArgument(
        entries: elements.map {
          EmbeddedMember(random.pick(["hp", "color", "left", "right", "k1"]), $0)
        })
    case .value(.any): return mixed(&random, depth: 0)
    case .value: return nil
    }
  }

  private func element(
    of property: Property, _ target: ObjectSchema?, _ random: inout SeededGenerator
  ) -> PredicateArgument {
    if property.isOptional, random.oneIn(4) { return .value(.null) }
    guard let target else { return .value(constant(property.type, &random)) }
    return target.isEmbedded ? members(of: target, &random) : .object(reference(target, &random))
  }

  private func members(
    of target: ObjectSchema, _ random: inout SeededGenerator
  ) -> PredicateArgument {
    let positions: [[Value]] = [
      [.double(10.2), .double(56.15)], [.double(10.3), .double(56.2)],
      [.double(5.32), .double(60.39)],
    ]
    let members = [
      EmbeddedMember("type", .value(.string("Point"))),
      EmbeddedMember("coordinates", .list(random.pick(positions))),
    ]
    return .members(Array(members.prefix(target.isPointShaped ? 1 + random.below(2) : 0)))
  }

  private func mixed(_ random: inout SeededGenerator, depth: Int) -> PredicateArgument {
    let kind = random.below(4)
    guard depth == 0 || kind < 2 && depth < 3 else {
      return kind == 2
        ? .object(ObjectReference(className: "Boat", identity: .key(ObjectKey(3))))
        : .value(random.oneIn(4) ? .null : constant(.any, &random))
    }
    let elements = (0..<random.below(3)).map { _ in mixed(&random, depth: depth + 1) }
    guard kind.isMultiple(of: 2) else { return PredicateArgument(list: elements) }
    return PredicateArgument(
      entries: elements.map { EmbeddedMember(random.pick(["k", "k0", "k1"]), $0) })
  }
}
