import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreTestSupport
@testable import Cadastre

/// An object of a Realm as the reference evaluator sees it.
struct ObjectSubject: PredicateSubject {
  private let object: ObjectBase

  init(_ object: ObjectBase) { self.object = object }

  var identity: Value {
    switch object.position?.identity {
    case .key(let key):
      .object(ObjectAddress(className: object.objectSchema.className, key: key))
    case .embedded(let owner, let path, let number):
      .embedded(in: owner, at: path, number: number)
    case .primaryKey, .unmanaged, nil: .bool(true)
    }
  }

  func value(of property: Property) -> Value { Self.value(content(of: property)) }

  func object(at property: Property) -> (any PredicateSubject)? {
    Self.subject(content(of: property))
  }

  func object(at address: ObjectAddress) -> (any PredicateSubject)? {
    object.position?.row.core.object(at: address).map(ObjectSubject.init)
  }

  func elements(of property: Property) -> [Value] {
    switch content(of: property) {
    case .elements(let elements): elements.map(Self.value)
    case .entries(let entries): entries.map { Self.value($0.content) }
    case .value, .object: []
    }
  }

  func objects(in property: Property) -> [(any PredicateSubject)?] {
    if property.type == .linkingObjects { return linkingObjects(property) }
    return switch content(of: property) {
    case .elements(let elements): elements.map(Self.subject)
    case .entries(let entries): entries.map { Self.subject($0.content) }
    case .value, .object: []
    }
  }

  func objects(of className: String) -> [any PredicateSubject] {
    guard let core = object.position?.row.core,
      let keys = try? QuerySession(core.currentReader(), schema: core.schema)
        .keys(BoundQuery(className)).keys
    else { return [] }
    return keys.compactMap { key in
      core.object(at: ObjectAddress(className: className, key: ObjectKey(key))).map(
        ObjectSubject.init)
    }
  }

  func keys(of property: Property) -> [String] {
    if case .entries(let entries) = content(of: property) { entries.map(\.key) } else { [] }
  }

  private func content(of property: Property) -> PropertyContent {
    let info = object.classInfo
    guard let field = info.fields.first(where: { $0.name == property.name }) else {
      return .value(.null)
    }
    return field.property.content(at: field.address(in: object), of: object)
  }

  private func linkingObjects(_ property: Property) -> [(any PredicateSubject)?] {
    let computed = object.classInfo.computed.first { $0.name == property.name }
    guard let collection = computed?.value(of: object) as? any RealmCollection else { return [] }
    return Self.subjects(in: collection)
  }

  private static func subjects(in collection: some RealmCollection) -> [(any PredicateSubject)?] {
    collection.map { ($0 as? ObjectBase).map(ObjectSubject.init) }
  }

  private static func subject(_ content: PropertyContent) -> (any PredicateSubject)? {
    if case .object(let object) = content { ObjectSubject(object) } else { nil }
  }

  private static func value(_ content: PropertyContent) -> Value {
    switch content {
    case .value(let value): value
    case .object(let object): (object.position?.row.address).map(Value.object) ?? .null
    case .elements(let elements): .list(elements.map(value))
    case .entries(let entries): .map(ValueMap(entries.map { ($0.key, value($0.content)) }))
    }
  }
}
