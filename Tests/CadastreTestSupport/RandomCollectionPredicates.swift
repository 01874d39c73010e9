import CadastreGeometry
package import CadastreModel
package import CadastrePredicate

/// A generator of random queries on collections, maps, linking objects and values of any type, all of which
/// can be bound.
package struct RandomCollectionPredicates {
  private let schema: Schema

  /// Generates queries on the classes of a schema.
  package init(_ schema: Schema) { self.schema = schema }

  /// Returns a predicate on a class in the form that the parser gives it, with a maximum number of levels of
  /// logic and subqueries.
  package func predicate(
    _ root: ObjectSchema, depth: Int, _ random: inout SeededGenerator
  ) -> QueryPredicate {
    switch depth > 0 ? random.below(8) : 7 {
    case 0, 1:
      return .and(
        (0..<random.below(3) + 2).map { _ in predicate(root, depth: depth - 1, &random) })
    case 2, 3:
      return .or((0..<random.below(3) + 2).map { _ in predicate(root, depth: depth - 1, &random) })
    case 4:
      let inner = predicate(root, depth: depth - 1, &random)
      if case .not = inner { return inner }
      return .not(inner)
    default: return term(root, depth: depth, &random)
    }
  }

  private func term(
    _ root: ObjectSchema, depth: Int, _ random: inout SeededGenerator
  ) -> QueryPredicate {
    for _ in 0..<50 {
      let walk = self.walk(from: root, &random)
      if let term = term(walk, root, depth: depth, &random) { return term }
    }
    return .constant(random.oneIn(2))
  }

  // MARK: Paths

  /// A path, and the kind of value at its end.
  private struct Walk {
    var steps: [PropertyPath.Step] = []
    var end: BoundPath.End
    var path: PropertyPath { PropertyPath(steps: steps) }
  }

  private func walk(from root: ObjectSchema, _ random: inout SeededGenerator) -> Walk {
    var walk = Walk(end: .object(root))
    for _ in 0..<random.below(5) + 1 {
      guard step(&walk, &random), let route = try? schema.resolve(walk.path, from: root) else {
        break
      }
      walk.end = route.end
    }
    return walk
  }

  /// Adds a valid step; returns false where the path has ended.
  private func step(_ walk: inout Walk, _ random: inout SeededGenerator) -> Bool {
    switch walk.end {
    case .object(let target):
      let step: PropertyPath.Step
      if random.oneIn(12), let links = links(to: target, &random) {
        step = links
      } else {
        let names = (target.properties + target.computedProperties).map(\.name)
        step = .property(random.pick(names))
      }
      walk.steps.append(step)
    case .collection(let property, let target):
      if property.isMap {
        walk.steps.append(
          random.pick([
            .key("hp"), .key("color"), .key("le'ft"), .keys, .values, .every, .property("left"),
          ]))
      } else if property.isArray, random.oneIn(3) {
        walk.steps.append(random.pick([.index(0), .index(1), .first, .last, .every]))
      } else if let target {
        walk.steps.append(.property(random.pick(target.properties.map(\.name))))
      } else {
        return false
      }
    case .value(.any):
      guard random.oneIn(2) else { return false }
      walk.steps.append(
        random.pick([
          .index(0), .last, .every, .key("k1"), .keys, .property("k0"), .property("name"),
        ]))
    case .value: return false
    }
    return true
  }

  private func links(
    to target: ObjectSchema, _ random: inout SeededGenerator
  ) -> PropertyPath.Step? {
    let links = schema.objectSchema.flatMap { source in
      source.properties.filter { $0.objectClassName == target.className }
        .map { PropertyPath.Step.links(className: source.className, property: $0.name) }
    }
    return links.isEmpty || target.isEmbedded ? nil : random.pick(links)
  }

  /// Returns the operand for the values at the end of a path, with a quantifier where there may be several.
  private func operand(
    _ walk: Walk, _ root: ObjectSchema, _ random: inout SeededGenerator
  ) -> Operand? {
    guard let route = try? schema.resolve(walk.path, from: root) else { return nil }
    if route.entered.isToMany {
      let quantifier = random.pick([Quantifier.any, .all, .none])
      if random.oneIn(3), !walk.path.selectsElements { return .property(walk.path) }
      return .elements(quantifier, walk.path)
    }
    return .values(at: walk.path)
  }

  // MARK: Terms

  private func term(
    _ walk: Walk, _ root: ObjectSchema, depth: Int, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard let route = try? schema.resolve(walk.path, from: root) else { return nil }
    switch random.below(11) {
    case 0: return count(walk, route, &random)
    case 1: return typeTest(walk, &random)
    case 2, 3: return depth > 0 ? collection(walk, route, depth: depth, &random) : nil
    case 4: return calculation(walk, route, root, &random)
    case 5: return beside(walk, route, root, &random)
    case 6: return content(walk, route, &random)
    default: break
    }
    switch route.entered.end {
    case .object(let target): return objects(walk, route, target, root, &random)
    case .value(let type): return comparison(walk, route, type, root, &random)
    case .collection: return nil
    }
  }

  private func comparison(
    _ walk: Walk, _ route: BoundPath, _ type: PropertyType, _ root: ObjectSchema,
    _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard let left = operand(walk, root, &random) else { return nil }
    let entered = route.entered
    if case .property = left, case .collection(let property, _) = route.end, !property.isMap,
      !route.isToMany, random.oneIn(2)
    {
      let values = (0..<random.below(3)).map { _ in constant(type, &random) }
      return .comparison(Comparison(left, random.pick([.equal, .notEqual]), .list(values)))
    }
    let isText = type == .string || type == .data || type == .any
    var operations: [ComparisonOperator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between,
    ]
    if isText { operations += [.beginsWith, .endsWith, .contains, .like] }
    if type == .string || type == .any { operations += [.matches, .text] }
    let operation = random.pick(operations)
    let takesOptions = isText && operation.acceptsOptions && random.oneIn(3)
    let options: StringOptions = takesOptions ? .caseInsensitive : []
    let right: Operand
    switch operation {
    case .isIn:
      right = .list((0..<random.below(4)).map { _ in constant(type, &random) })
    case .between: right = .list([constant(type, &random), constant(type, &random)])
    case .text:
      right = .value(
        .string(random.pick(["wind", "nor*", "wind -calm", "-a", "y dk", "å*", "HP x*"])))
    case .matches: right = .value(.string(random.pick([".*a.*", "[A-Z]\\w*", "(al|x)+m?a?", ""])))
    case .like, .beginsWith, .endsWith, .contains:
      right = .value(constant(type == .any ? .string : type, &random))
    default:
      if random.oneIn(5) {
        let values = (0..<random.below(3) + 1).map { _ in constant(type, &random) }
        right = .constants(random.pick([.any, .all, .none]), values)
      } else {
        right = .value(entered.isNullable && random.oneIn(6) ? .null : constant(type, &random))
      }
    }
    return .comparison(Comparison(left, operation, right, options: options))
  }

  private func objects(
    _ walk: Walk, _ route: BoundPath, _ target: ObjectSchema, _ root: ObjectSchema,
    _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard let left = operand(walk, root, &random) else { return nil }
    if target.isPointShaped, random.oneIn(2),
      let center = GeoPoint(latitude: 56.15, longitude: 10.2),
      let circle = GeoCircle(center: center, radiusInRadians: random.pick([0.001, 0.1, 1]))
    {
      let quantifier: Quantifier =
        route.entered.isToMany ? random.pick([.any, .all, .none]) : .any
      return .geoWithin(GeoWithin(walk.path, .circle(circle), quantifier: quantifier))
    }
    if target.isEmbedded, random.oneIn(2) {
      let owner = ObjectAddress(className: "Harbor", key: ObjectKey(Int64(random.below(4))))
      let place = ObjectReference.Identity.embedded(
        in: owner, at: PropertyPath("site"), number: Int64(1 + random.below(8) / 7))
      let reference = ObjectReference(
        className: target.className, identity: random.oneIn(8) ? .unmanaged : place)
      return .comparison(
        random.oneIn(4)
          ? Comparison(left, .isIn, .objects([reference, reference]))
          : Comparison(left, random.pick([.equal, .notEqual]), .object(reference)))
    }
    if target.isEmbedded {
      guard target.isPointShaped, !route.isToMany else { return nil }
      let members = [
        EmbeddedMember("type", .value(.string("Point"))),
        EmbeddedMember("coordinates", .list([.double(10.2), .double(56.15)])),
      ]
      return .comparison(
        Comparison(left, random.pick([.equal, .notEqual]), .content(.members(members))))
    }
    let references = (0..<random.below(3) + 1).map { _ in reference(target, &random) }
    if random.oneIn(4) { return .comparison(Comparison(left, .isIn, .objects(references))) }
    if random.oneIn(4), route.entered.isNullable {
      return .comparison(Comparison(left, random.pick([.equal, .notEqual]), .value(.null)))
    }
    return .comparison(
      Comparison(left, random.pick([.equal, .notEqual]), .object(references[0])))
  }

  /// Returns an object of a class, or one that is not there.
  func reference(
    _ target: ObjectSchema, _ random: inout SeededGenerator
  ) -> ObjectReference {
    let identity: ObjectReference.Identity =
      switch random.below(5) {
      case 0: .unmanaged
      case 1 where target.className == "Harbor": .primaryKey(.string("AAR"))
      default: .key(ObjectKey(Int64(random.below(6)) + 1))
      }
    return ObjectReference(className: target.className, identity: identity)
  }

  private func count(
    _ walk: Walk, _ route: BoundPath, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    var step = PropertyPath.Step.count
    switch route.end {
    case .collection, .object, .value(.any): break
    case .value(.string), .value(.data): step = random.pick([.count, .length])
    case .value: return nil
    }
    let path = walk.path.appending([step])
    let quantifier: Quantifier = route.isToMany ? random.pick([.any, .all, .none]) : .any
    return .comparison(
      Comparison(
        .elements(quantifier, path), random.pick([.equal, .notEqual, .greater]),
        .value(.int(Int64(random.below(4))))))
  }

  private func typeTest(_ walk: Walk, _ random: inout SeededGenerator) -> QueryPredicate? {
    let names: [Value] = ["int", "string", "NUMERIC", "null", "list", "collection", "double"].map {
      .string($0)
    }
    let left = Operand.elements(.any, walk.path.appending([.type]))
    return random.oneIn(3)
      ? .comparison(Comparison(left, .isIn, .list([random.pick(names), random.pick(names)])))
      : .comparison(Comparison(left, random.pick([.equal, .notEqual]), .value(random.pick(names))))
  }

  // MARK: Whole contents

  /// Returns the comparison of a whole collection, an embedded object, or a value of any type with content.
  private func content(
    _ walk: Walk, _ route: BoundPath, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard !route.isToMany, let content = content(of: route.end, &random),
      let operand = content.operand
    else { return nil }
    return .comparison(
      Comparison(.values(at: walk.path), random.pick([.equal, .notEqual]), operand))
  }

  // MARK: Whole collections

  private func collection(
    _ walk: Walk, _ route: BoundPath, depth: Int, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard case .collection(let property, let target) = route.end, !route.isToMany else {
      return nil
    }
    let operation = random.pick([ComparisonOperator.equal, .notEqual, .less, .greaterOrEqual])
    if let target {
      if random.oneIn(3), let member = number(of: target, &random) {
        let aggregate = Aggregate(
          random.pick(Aggregate.Operation.allCases), of: walk.path, member: member)
        return .comparison(
          Comparison(.aggregate(aggregate), operation, .value(number(&random))))
      }
      var inner = predicate(target, depth: depth - 1, &random)
      if random.oneIn(3), let beside = outer(of: route.root, beside: target, &random) {
        inner = random.oneIn(2) ? .and([inner, beside]) : .or([inner, beside])
      }
      return .comparison(
        Comparison(
          .subquery(Subquery(walk.path, inner)), operation,
          .value(.int(Int64(random.below(3))))))
    }
    guard property.type.isNumeric || property.type == .any else { return nil }
    return .comparison(
      Comparison(
        .aggregate(Aggregate(random.pick(Aggregate.Operation.allCases), of: walk.path)),
        operation, .value(random.oneIn(5) ? .null : number(&random))))
  }

  /// A comparison of a number of the objects of a subquery with one of the object around it.
  private func outer(
    of root: ObjectSchema, beside target: ObjectSchema, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard let own = number(of: target, &random), let path = number(of: root, &random) else {
      return nil
    }
    let operand = Operand.outer(Outer(.property(path)))
    let operation = random.pick([ComparisonOperator.equal, .notEqual, .less, .greaterOrEqual])
    return .comparison(
      random.oneIn(2)
        ? Comparison(.property(own), operation, operand)
        : Comparison(operand, operation, .property(own)))
  }

  private func number(
    of target: ObjectSchema, _ random: inout SeededGenerator
  ) -> PropertyPath? {
    let numbers = target.properties.filter { $0.collection == nil && $0.type.isNumeric }
    return numbers.isEmpty ? nil : PropertyPath([random.pick(numbers).name])
  }

  private func number(_ random: inout SeededGenerator) -> Value {
    random.pick([
      .int(Int64(random.below(8))), .double(Double(random.below(30)) / 4), .decimal("10.5"),
    ])
  }

  // MARK: Calculations, and two properties

  private func calculation(
    _ walk: Walk, _ route: BoundPath, _ root: ObjectSchema, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard case .value(let type) = route.entered.end, type.isNumeric || type == .any,
      let operand = operand(walk, root, &random)
    else { return nil }
    let sign = random.pick(Arithmetic.Operation.allCases)
    var result = Operand.arithmetic(
      random.oneIn(2)
        ? Arithmetic(operand, sign, .value(number(&random)))
        : Arithmetic(.value(number(&random)), sign, operand))
    if random.oneIn(3) {
      result = .arithmetic(
        Arithmetic(result, random.pick(Arithmetic.Operation.allCases), .value(.int(-2))))
    }
    return .comparison(
      Comparison(result, random.pick([.equal, .less, .greaterOrEqual]), .value(number(&random))))
  }

  private func beside(
    _ walk: Walk, _ route: BoundPath, _ root: ObjectSchema, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard case .value(let type) = route.entered.end, route.entered.isToMany else { return nil }
    let quantifier = random.pick([Quantifier.any, .all, .none])
    let many = Operand.elements(quantifier, walk.path)
    if random.oneIn(2) {
      let values = (0..<random.below(3)).map { _ in constant(type, &random) }
      return .comparison(
        Comparison(.constants(random.pick([.any, .all, .none]), values), .isIn, many))
    }
    let alike = root.properties.filter {
      $0.collection == nil && ($0.type == type || $0.type.isNumeric && type.isNumeric)
    }
    guard !alike.isEmpty else { return nil }
    let other = Operand.property(PropertyPath([random.pick(alike).name]))
    let operation = random.pick([ComparisonOperator.equal, .notEqual, .less])
    return .comparison(
      random.oneIn(2) ? Comparison(other, operation, many) : Comparison(many, operation, other))
  }

  /// Returns a constant of a type.
  func constant(_ type: PropertyType, _ random: inout SeededGenerator) -> Value {
    switch type {
    case .any:
      return random.value(random.pick([.int, .string, .double, .bool, .decimal128, .string]))
    case .int: return .int(Int64(random.below(14)))
    case .string:
      return .string(random.pick(["x", "y", "dk", "eu", "hp", "red", "ok", "Alma", "", "v", "k"]))
    case .decimal128: return .decimal(random.pick(["10.5", "10.50", "-3", "NaN", "0.1"]))
    default: return random.value(type)
    }
  }
}
