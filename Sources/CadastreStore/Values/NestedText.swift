import CadastreGeometry
package import CadastreModel
import Foundation

/// The lossless JSON representation of lists and maps in a property of any type.
///
/// Null, Booleans, integers, finite doubles (always with a full stop or an exponent) and strings are JSON
/// values. All other values are objects with one member, whose name begins with `$`, as no key of a map
/// does: `{"$float": "1.5"}`, `{"$double": "nan"}`, `{"$data": "base64"}`, `{"$date": [seconds,
/// nanoseconds]}`, `{"$date": "seconds since 2001"}` where these do not represent a date, `{"$decimal128": "…"}`,
/// `{"$objectId": "…"}`, `{"$uuid": "…"}`, `{"$geometry": "WKT"}`, `{"$object": ["Class", key]}`.
package enum NestedText {
  /// Returns the text of a value.
  package static func text(_ value: Value) -> String {
    var text = ""
    write(value, to: &text)
    return text
  }

  /// Returns the value of a text; nil for a text that ``text(_:)`` does not write.
  package static func value(_ text: String) -> Value? {
    var parser = NestedTextParser(text)
    guard let value = parser.value(depth: 0), parser.isAtEnd else { return nil }
    return value
  }

  // MARK: Writing

  private static func write(_ value: Value, to text: inout String) {
    switch value {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .double(let value) where value.isFinite: text += "\(value)"
    case .double(let value):
      write("double", value.isNaN ? bits(value.bitPattern) : "\(value)", to: &text)
    case .float(let value):
      write("float", value.isNaN ? bits(value.bitPattern) : "\(value)", to: &text)
    case .string(let value): write(quoting: value, to: &text)
    case .data(let value): write("data", value.base64EncodedString(), to: &text)
    case .date(let value):
      guard Timestamp(seconds: value.seconds, nanoseconds: Int64(value.nanoseconds)) == value else {
        return write("date", "\(value.date.timeIntervalSinceReferenceDate)", to: &text)
      }
      text += "{\"$date\": [\(value.seconds), \(value.nanoseconds)]}"
    case .decimal(let value): write("decimal128", value.exactText, to: &text)
    case .objectId(let value): write("objectId", value.stringValue, to: &text)
    case .uuid(let value): write("uuid", value.uuidString, to: &text)
    case .geometry(let value): write("geometry", value.wkt, to: &text)
    case .object(let address):
      text += "{\"$object\": ["
      write(quoting: address.className, to: &text)
      text += ", \(address.key)]}"
    // A link without its class has no representation.
    case .link: text += "null"
    case .list(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        write(element, to: &text)
      }
      text += "]"
    case .map(let map):
      text += "{"
      for (index, entry) in map.entries.enumerated() {
        if index > 0 { text += ", " }
        write(quoting: entry.key, to: &text)
        text += ": "
        write(entry.value, to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ type: String, _ content: String, to text: inout String) {
    text += "{\"$\(type)\": \"\(content)\"}"
  }

  /// Returns the bits of a NaN as hexadecimal digits.
  private static func bits(_ pattern: some FixedWidthInteger) -> String {
    "0x" + String(pattern, radix: 16)
  }

  private static func write(quoting string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// A parser of the text that `NestedText` writes, and of similar JSON.
private struct NestedTextParser {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return index == bytes.count
    }
  }

  mutating func value(depth: Int) -> Value? {
    guard depth <= Value.maximumDepth + Self.taggedValueDepth else { return nil }
    skipSpace()
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "{"): return map(depth: depth)
    case UInt8(ascii: "["): return list(depth: depth).map(Value.list)
    case UInt8(ascii: "\""): return string().map(Value.string)
    case UInt8(ascii: "n"): return word("null") ? .null : nil
    case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
    default: return number()
    }
  }

  /// The number of levels of a date below the list or map that contains it.
  private static let taggedValueDepth = 2

  private mutating func skipSpace() {
    while index < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func word(_ word: String) -> Bool {
    guard bytes[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  private mutating func number() -> Value? {
    let start = index
    while index < bytes.count, Self.isPartOfNumber(bytes[index]) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if let whole = Int64(text) { return .int(whole) }
    return Double(text).map(Value.double)
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private mutating func list(depth: Int) -> [Value]? {
    var elements: [Value] = []
    guard skip("[") else { return nil }
    if skip("]") { return elements }
    repeat {
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
    } while skip(",")
    return skip("]") ? elements : nil
  }

  private mutating func map(depth: Int) -> Value? {
    var map = ValueMap()
    guard skip("{") else { return nil }
    if skip("}") { return .map(map) }
    repeat {
      skipSpace()
      guard let key = string(), skip(":"), let value = value(depth: depth + 1) else { return nil }
      if key.utf8.first == UInt8(ascii: "$") {
        guard skip("}") else { return nil }
        return Self.taggedValue(key.dropFirst(), value)
      }
      map[key] = value
    } while skip(",")
    return skip("}") ? .map(map) : nil
  }

  private static func taggedValue(_ type: Substring, _ content: Value) -> Value? {
    switch (type, content) {
    case ("double", .string(let text)):
      return (bits(text).map(Double.init(bitPattern:)) ?? Double(text)).map(Value.double)
    case ("float", .string(let text)):
      return (bits(text).map(Float.init(bitPattern:)) ?? Float(text)).map(Value.float)
    case ("data", .string(let text)): return Data(base64Encoded: text).map(Value.data)
    case ("date", .list(let parts)):
      guard parts.count == 2, case .int(let seconds) = parts[0], case .int(let rest) = parts[1],
        (0..<Timestamp.nanosecondsPerSecond).contains(rest)
      else { return nil }
      return .date(Timestamp(seconds: seconds, nanoseconds: rest))
    case ("date", .string(let text)):
      return Double(text).map { .date(Timestamp(Date(timeIntervalSinceReferenceDate: $0))) }
    case ("decimal128", .string(let text)): return Decimal128(parsing: text).map(Value.decimal)
    case ("objectId", .string(let text)): return (try? ObjectId(string: text)).map(Value.objectId)
    case ("uuid", .string(let text)): return UUID(uuidString: text).map(Value.uuid)
    case ("geometry", .string(let text)): return (try? Geometry(wkt: text)).map(Value.geometry)
    case ("object", .list(let parts)):
      guard parts.count == 2, case .string(let name) = parts[0], case .int(let key) = parts[1]
      else { return nil }
      return .object(ObjectAddress(className: name, key: ObjectKey(key)))
    default: return nil
    }
  }

  private static func bits<Bits: FixedWidthInteger>(_ text: String) -> Bits? {
    text.hasPrefix("0x") ? Bits(text.dropFirst(2), radix: 16) : nil
  }

  private mutating func string() -> String? {
    guard skip("\"") else { return nil }
    var found: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: found, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        found += Array(String(scalar).utf8)
      default: found.append(byte)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard index < bytes.count else { return nil }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "u"):
      guard let first = unit() else { return nil }
      guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) }
      guard word("\\u"), let second = unit(), (0xDC00...0xDFFF).contains(second) else { return nil }
      return Unicode.Scalar((first - 0xD800) << 10 + (second - 0xDC00) + 0x10000)
    default: return nil
    }
  }

  private mutating func unit() -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    defer { index += 4 }
    return UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
  }
}
