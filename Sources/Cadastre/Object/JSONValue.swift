import CadastreGeometry
import CadastreModel
import CadastrePredicate
import Foundation

/// The values of JSON for types that JSON does not have, as `JSONEncoder` and `encoded(depth:)` write
/// them.
enum JSONValue {
  /// Returns the value of a property's type that a text represents; nil where it represents none.
  ///
  /// A date is in ISO 8601, data in base64, and an object id has 24 digits. Numbers that JSON does not have
  /// are `infinity`, `-infinity` and `nan`.
  static func value(_ text: String, as type: PropertyType) -> Value? {
    switch type {
    case .date: date(text).map(Value.date)
    case .data: Data(base64Encoded: text).map(Value.data)
    case .objectId: (try? ObjectId(string: text)).map(Value.objectId)
    case .UUID: UUID(uuidString: text).map(Value.uuid)
    case .double, .float: numbers[text.lowercased()].map(Value.double)
    default: nil
    }
  }

  private static let numbers: [String: Double] = [
    "infinity": .infinity, "inf": .infinity, "-infinity": -.infinity, "-inf": -.infinity,
    "nan": .nan,
  ]

  /// Returns the geometry that an object of GeoJSON represents; nil where it represents none.
  static func geometry(_ value: Any?) -> Geometry? {
    guard let members = value as? [String: Any] else { return nil }
    return Geometry(geoJSONObject: members) { DynamicValue.value($0)?.doubleValue }
  }

  /// Returns the value of a primary key from outside the program; nil where it does not fit.
  static func key(_ key: Any?, of property: Property) -> Value? {
    guard let value = DynamicValue.value(key) else { return nil }
    if value.isNull { return property.isOptional ? .null : nil }
    if value.type == property.type { return value }
    guard case .string(let text) = value else { return nil }
    return self.value(text, as: property.type)
  }

  private static func date(_ text: String) -> Timestamp? {
    let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/
    return text.wholeMatch(of: form.asciiOnlyDigits()) == nil ? nil : DateText.timestamp(text)
  }

  /// Returns the object that a primary key leads to; nil where the class or the value has none.
  ///
  /// An object that does not exist is created with the key, so that documents that lead to each other
  /// can be read in any order.
  static func object(_ type: ObjectBase.Type, forKey key: Any, in core: RealmCore?) -> ObjectBase? {
    let info = ClassInfo.of(type)
    guard let property = info.schema.primaryKeyProperty,
      let index = info.schema.index(of: property.name), isScalar(key)
    else { return nil }
    let object = type.init()
    let field = info.fields[index]
    guard field.set(object, to: key),
      let value = object.content(of: property.name)?.value
    else { return nil }
    let name = info.schema.className
    if let core, let table = core.table(named: name),
      let row = core.read(or: nil, { try $0.key(name, primaryKey: value) })
    {
      return core.object(type, table, row)
    }
    object.givenProperties = .flat([index])
    return object
  }

  private static func isScalar(_ key: Any) -> Bool {
    guard let value = DynamicValue.value(key) else { return false }
    return !value.isNull
  }
}
