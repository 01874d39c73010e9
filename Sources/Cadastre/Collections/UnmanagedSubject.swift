import CadastreModel
import CadastrePredicate

extension RealmCollection {
  /// The index of the first element of an unmanaged collection that matches a predicate.
  func unmanagedIndex(
    matching predicate: QueryPredicate
  ) throws(QueryPredicateError) -> Int? {
    guard let type = Element.propertyShape.objectType else {
      throw QueryPredicateError(
        .invalidQuery, "Querying is currently only implemented for arrays of Realm Objects")
    }
    let info = ClassInfo.of(type)
    let schema = Schema(info.reachableSchemas)
    let bound = try predicate.bound(to: schema, root: info.schema).named
    let evaluator = ReferenceEvaluator(schema: schema, root: info.schema)
    for (index, element) in enumerated() {
      guard case .object(let object) = Element.content(of: element) else { continue }
      if try evaluator.matches(UnmanagedSubject(object: object), bound) { return index }
    }
    return nil
  }
}

/// The adapter of an object in memory for the reference evaluator.
private struct UnmanagedSubject: PredicateSubject {
  let object: ObjectBase

  var identity: Value { object.position.map { .object($0.row.address) } ?? .bool(true) }

  func value(of property: Property) -> Value { object.content(of: property.name)?.value ?? .null }

  func object(at property: Property) -> (any PredicateSubject)? {
    guard case .object(let target) = object.content(of: property.name) else { return nil }
    return UnmanagedSubject(object: target)
  }

  func elements(of property: Property) -> [Value] { contents(of: property).compactMap(\.value) }

  func objects(in property: Property) -> [(any PredicateSubject)?] {
    contents(of: property).map { content in
      guard case .object(let object) = content else { return nil }
      return UnmanagedSubject(object: object)
    }
  }

  func keys(of property: Property) -> [String] {
    guard case .entries(let entries) = object.content(of: property.name) else { return [] }
    return entries.map(\.key).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func contents(of property: Property) -> [PropertyContent] {
    switch object.content(of: property.name) {
    case .elements(let elements): elements
    case .entries(let entries):
      entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.content)
    case .value, .object, nil: []
    }
  }
}

extension ClassInfo {
  /// The descriptions of the class and of all classes that its properties lead to.
  var reachableSchemas: [ObjectSchema] {
    var found: [ObjectSchema] = []
    var pending = [self]
    while let next = pending.popLast() {
      guard !found.contains(where: { $0.className == next.schema.className }) else { continue }
      found.append(next.schema)
      pending += next.fields.compactMap(\.objectType).map(ClassInfo.of)
    }
    return found
  }
}
