import CadastreFormatting
import CadastreModel
import Foundation

/// A value of a type that JSON does not have, in the format of MongoDB: an object whose first name begins with `$`.
///
/// The canonical and the relaxed format are read, and that of version 1. A timestamp is the date of its seconds, without
/// the number that orders operations within a second. A regular expression is the text `/pattern/options`; a symbol and
/// code are their texts.
///
/// Source: MongoDB Extended JSON specifications 2.0.0 and 1.
struct ExtendedJSON {
  private enum Content {
    /// The node with the text of the value.
    case text(Int)
    case value(Value)
  }

  /// The type of the value.
  let type: PropertyType
  private let content: Content

  /// Interprets an object; nil if it is an ordinary object.
  init?(_ record: JSONRecord, _ object: Int) {
    var members = record.members(of: object)
    guard let (name, value) = members.next(),
      record.withText(name, { $0.first == UInt8(ascii: "$") }),
      let found = Self.content(record, object, name, value)
    else { return nil }
    (type, content) = found
  }

  /// Returns the value as a type; nil if it cannot be converted.
  func value(_ record: JSONRecord, _ type: PropertyType) -> Value? {
    switch content {
    case .text(let node): record.withText(node) { TextValue.value($0, type) }
    case .value(let value): TypedValue.value(value, type)
    }
  }

  private static func content(
    _ record: JSONRecord, _ object: Int, _ name: Int, _ value: Int
  ) -> (PropertyType, Content)? {
    let word = record.text(name)
    let count = record.members(of: object).reduce(0) { count, _ in count + 1 }
    if count == 2 { return pair(record, object, word, value) }
    guard count == 1 else { return nil }
    switch (word, record[value].kind) {
    case ("$oid", .string): return (.objectId, .text(value))
    case ("$uuid", .string): return (.UUID, .text(value))
    case ("$numberLong", .string), ("$numberInt", .string), ("$numberLong", .integer),
      ("$numberInt", .integer):
      return (.int, .text(value))
    case ("$numberDouble", .string), ("$numberDouble", .number), ("$numberDouble", .integer):
      return (.double, .text(value))
    case ("$numberDecimal", .string): return (.decimal128, .text(value))
    case ("$symbol", .string), ("$code", .string): return (.string, .text(value))
    case ("$date", _): return date(record, value)
    case ("$binary", .object): return binary(record, value, "base64", "subType")
    case ("$timestamp", .object):
      guard let seconds = integer(record, value, "t"), integer(record, value, "i") != nil else {
        return nil
      }
      return (.date, .value(.date(Timestamp(seconds: seconds))))
    case ("$regularExpression", .object): return expression(record, value, "pattern", "options")
    default: return nil
    }
  }

  /// Returns a value that has two members.
  private static func pair(
    _ record: JSONRecord, _ object: Int, _ word: String, _ value: Int
  ) -> (PropertyType, Content)? {
    switch (word, record[value].kind) {
    case ("$binary", .string), ("$type", .string): binary(record, object, "$binary", "$type")
    case ("$regex", .string), ("$options", .string):
      expression(record, object, "$regex", "$options")
    case ("$code", .string):
      record.member("$scope", of: object).map { _ in (.string, .text(value)) }
    default: nil
    }
  }

  /// Returns a date in ISO 8601, or in milliseconds from 1970.
  private static func date(_ record: JSONRecord, _ value: Int) -> (PropertyType, Content)? {
    let node: Int
    switch record[value].kind {
    case .string: return (.date, .text(value))
    case .integer: node = value
    case .object:
      guard let number = record.member("$numberLong", of: value) else { return nil }
      node = number
    default: return nil
    }
    return record.withText(node, FieldParsing.int64).map { milliseconds in
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      return (.date, .value(.date(Timestamp(seconds: seconds, nanoseconds: rest * 1_000_000))))
    }
  }

  /// Returns bytes in base64, which are a UUID if their type is 4.
  private static func binary(
    _ record: JSONRecord, _ object: Int, _ bytes: String, _ type: String
  ) -> (PropertyType, Content)? {
    guard let node = record.member(bytes, of: object), record[node].kind == .string,
      let data = record.withText(node, { Data(base64Encoded: Data($0)) }),
      let subtype = record.member(type, of: object)
    else { return nil }
    if ["04", "4"].contains(record.text(subtype)), data.count == 16 {
      let uuid = data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
      return (.UUID, .value(.uuid(UUID(uuid: uuid))))
    }
    return (.data, .value(.data(data)))
  }

  private static func expression(
    _ record: JSONRecord, _ object: Int, _ pattern: String, _ options: String
  ) -> (PropertyType, Content)? {
    guard let pattern = record.member(pattern, of: object), record[pattern].kind == .string,
      let options = record.member(options, of: object), record[options].kind == .string
    else { return nil }
    return (.string, .value(.string("/\(record.text(pattern))/\(record.text(options))")))
  }

  private static func integer(_ record: JSONRecord, _ object: Int, _ name: String) -> Int64? {
    record.member(name, of: object).flatMap { record.withText($0, FieldParsing.int64) }
  }
}
