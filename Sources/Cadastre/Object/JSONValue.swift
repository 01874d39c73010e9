import CadastreModel
import Foundation

/// The values of JSON for types that JSON does not have, as `JSONEncoder` and `encoded(depth:)` write
/// them.
enum JSONValue {
  /// Returns the value of a property's type that a text represents; nil where it represents none.
  ///
  /// A date is in ISO 8601, data in base64, and an object id has 24 digits.
  static func value(_ text: String, as type: PropertyType) -> Value? {
    switch type {
    case .date: date(text).map { .date(Timestamp($0)) }
    case .data: Data(base64Encoded: text).map(Value.data)
    case .objectId: (try? ObjectId(string: text)).map(Value.objectId)
    default: nil
    }
  }

  private static func date(_ text: String) -> Date? {
    // The style accepts more: hours above 23, days that a month does not have, and text at the end.
    let form = /\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/
    guard text.wholeMatch(of: form.asciiOnlyDigits()) != nil else { return nil }
    let day = text.prefix(10)
    let style = Date.ISO8601FormatStyle()
    guard let start = try? style.parse(day + "T00:00:00Z"), style.format(start).hasPrefix(day)
    else {
      return nil
    }
    return (try? style.parse(text))
      ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
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
    object.namedProperties = [index]
    return object
  }

  private static func isScalar(_ key: Any) -> Bool {
    guard let value = DynamicValue.value(key) else { return false }
    return !value.isNull
  }
}
