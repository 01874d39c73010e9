import Cadastre
import Testing

/// A type of collections, as the type of a property.
struct CollectionRow<Value: Persistable, Model: Object>: TypeRow {
  let name: String
  /// Fills the property of an object that is in a Realm with two elements.
  let fill: (Realm, Model) -> Void
  /// The number of elements.
  let count: (Model) -> Int

  func attempt(_ column: TypeColumn) throws -> TypeOutcome {
    switch column {
    case .required: return try outcome { #expect(count($0[0]) == 2) }
    case .optional:
      return Value?.self as Any.Type is any Persistable.Type ? .works : .absent
    case .primaryKey: return breaksRules(Keyed<Value>.self, []) ? .refused : .works
    case .indexed: return breaksRules(Indexed<Value>.self, []) ? .refused : .works
    case .list, .set, .map:
      // What cannot be hashed is no element.
      return Value.self is any Hashable.Type ? .works : .absent
    case .sort: return try outcome { _ = $0.sorted(byKeyPath: "value").count }
    case .extremes: return try outcome { let _: Int? = $0.max(ofProperty: "value") }
    case .aggregate: return try outcome { let _: Int = $0.sum(ofProperty: "value") }
    case .query: return try outcome { #expect($0.filter("value.@count == 2").count == 1) }
    }
  }

  private func outcome(_ body: (Results<Model>) throws -> Void) throws -> TypeOutcome {
    try reopened(Model.self, []) {
      [Model()]
    } _: { realm, objects in
      let object = objects[0]
      try realm.write { fill(realm, object) }
      try body(objects)
    }
  }
}
