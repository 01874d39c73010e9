import Cadastre
import Foundation

/// A class that holds values of one type in all ways that both styles of declaration have.
protocol Holder: Object, Codable {
  associatedtype Value: HolderValue
  init(value: Any)
  var numberValue: Int? { get set }
  var singleValue: Value? { get set }
  var list: List<Value> { get }
  var set: MutableSet<Value> { get }
  var map: Map<String, Value> { get }
}

typealias HolderValue = RealmCollectionValue & ScalarPersistable & Codable & Sendable

extension Holder {
  /// An object that no Realm manages.
  static func make(_ number: Int, _ values: [Value]) -> Self {
    let holder = Self()
    holder.numberValue = number
    holder.singleValue = values.first
    holder.list.append(objectsIn: values + values)
    holder.set.insert(objectsIn: values)
    for (index, value) in values.enumerated() { holder.map["k\(index)"] = value }
    return holder
  }

  /// The values of the properties as text, in the order of their declaration.
  var text: String {
    let values = Array(set).map { "\($0)" }.sorted()
    let entries = map.map { "\($0.key) \($0.value)" }
    return "\(numberValue ?? -1) \(singleValue.map { "\($0)" } ?? "nil") \(Array(list)) \(values) "
      + "\(entries)"
  }

  /// A Realm in memory that has this class only.
  static func realm() throws -> Realm {
    try Realm(configuration: configuration(UUID().uuidString))
  }

  static func configuration(_ name: String) -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: name, objectTypes: [Self.self])
  }
}

/// Declared with `@Persisted`.
final class ModernHolder<Value: HolderValue>: Object, Holder {
  @Persisted(primaryKey: true) var number: Int?
  @Persisted var single: Value?
  @Persisted var list: List<Value>
  @Persisted var set: MutableSet<Value>
  @Persisted var map: Map<String, Value>

  var numberValue: Int? {
    get { number }
    set { number = newValue }
  }
  var singleValue: Value? {
    get { single }
    set { single = newValue }
  }

  override class func className() -> String { "Holder" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Declared as before `@Persisted`.
final class OldHolder<Value: HolderValue>: Object, Holder {
  let number = RealmProperty<Int?>()
  let single = RealmProperty<Value?>()
  let list = List<Value>()
  let set = MutableSet<Value>()
  let map = Map<String, Value>()

  var numberValue: Int? {
    get { number.value }
    set { number.value = newValue }
  }
  var singleValue: Value? {
    get { single.value }
    set { single.value = newValue }
  }

  required init() { super.init() }

  required init(from decoder: any Decoder) throws {
    super.init()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    numberValue = try container.decode(RealmProperty<Int?>.self, forKey: .number).value
    singleValue = try container.decode(RealmProperty<Value?>.self, forKey: .single).value
    list.append(objectsIn: try container.decode(List<Value>.self, forKey: .list))
    set.insert(objectsIn: try container.decode(MutableSet<Value>.self, forKey: .set))
    let values = try container.decode(Map<String, Value>.self, forKey: .map)
    for entry in values { map[entry.key] = entry.value }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encode(single, forKey: .single)
    try container.encode(list, forKey: .list)
    try container.encode(set, forKey: .set)
    try container.encode(map, forKey: .map)
  }

  enum CodingKeys: String, CodingKey { case number, single, list, set, map }

  override class func primaryKey() -> String? { "number" }
  override class func propertiesMapping() -> [String: String] {
    ["number": "number", "singleProperty": "single"]
  }
  override class func className() -> String { "Holder" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
