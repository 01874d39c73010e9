import Cadastre
import CadastreModel
import Foundation

/// A value as a test knows it, without any store.
indirect enum Plain: Hashable {
  case null
  case int(Int)
  case bool(Bool)
  case double(Double)
  case string(String)
  case data(Data)
  case date(Date)
  /// An owner, by its primary key.
  case owner(Plain)
  case object([String: Plain])
  case list([Plain])
  case set(Set<Plain>)
  case map([String: Plain])

  /// What a store is given for the value; owners are looked up.
  func value(_ owner: (Plain) -> Any?) -> Any? {
    switch self {
    case .null: nil
    case .int(let value): value
    case .bool(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .owner(let key): owner(key)
    case .object(let members): members.mapValues { $0.value(owner) }
    case .list(let elements): elements.map { $0.value(owner) }
    case .set(let elements): elements.map { $0.value(owner) }
    case .map(let entries): entries.mapValues { $0.value(owner) }
    }
  }

  /// What a store gives for a property.
  init(of value: Any?, _ property: Property) {
    switch property.collection {
    case .list?: self = .list(Plain.elements(value))
    case .set?: self = .set(Set(Plain.elements(value)))
    case .map?:
      switch value {
      case let map as Map<String, Int>:
        self = .map(Dictionary(uniqueKeysWithValues: map.map { ($0.key, .int($0.value)) }))
      case let map as Map<String, Double>:
        self = .map(Dictionary(uniqueKeysWithValues: map.map { ($0.key, .double($0.value)) }))
      default: self = .string("an unexpected map: \(String(describing: value))")
      }
    case nil: self = Plain(of: value)
    }
  }

  private static func elements(_ value: Any?) -> [Plain] {
    switch value {
    case let list as List<String>: list.map { .string($0) }
    case let list as List<Double>: list.map { .double($0) }
    case let list as List<DynamicObject>: list.map { Plain(of: $0) }
    case let set as MutableSet<String>: set.map { .string($0) }
    default: [.string("unexpected elements: \(String(describing: value))")]
    }
  }

  private init(of value: Any?) {
    switch value {
    case nil, AnyRealmValue.none as AnyRealmValue: self = .null
    case let value as Int: self = .int(value)
    case let value as Bool: self = .bool(value)
    case let value as Double: self = .double(value)
    case let value as String: self = .string(value)
    case let value as Data: self = .data(value)
    case let value as Date: self = .date(value)
    case .int(let value) as AnyRealmValue: self = .int(value)
    case .string(let value) as AnyRealmValue: self = .string(value)
    case .object(let object) as AnyRealmValue: self = Plain(of: object)
    case let object as ObjectBase where object.objectSchema.className == "Owner":
      self = .owner(Plain(of: object["id"]))
    case let object as ObjectBase: self = .object(Plain.members(of: object))
    default: self = .string("an unexpected value: \(String(describing: value))")
    }
  }

  /// The properties of an object.
  static func members(of object: ObjectBase) -> [String: Plain] {
    var members: [String: Plain] = [:]
    for property in object.objectSchema.properties {
      members[property.name] = Plain(of: object[property.name], property)
    }
    return members
  }
}
