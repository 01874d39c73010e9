import CadastreModel

/// Conversion of JSON nodes to values.
enum JSONConversion {
  /// Returns the value of a node as a type; nil if it cannot be converted.
  static func value(_ record: JSONRecord, _ node: Int, _ type: PropertyType) -> Value? {
    if type == .any { return any(record, node, levels: Value.maximumDepth) }
    switch record[node].kind {
    case .null, .array: return nil
    case .true, .false:
      let isTrue = record[node].kind == .true
      return type == .bool ? .bool(isTrue) : type == .string ? .string("\(isTrue)") : nil
    case .integer, .number:
      return record.withText(node) { TextValue.value($0, type) ?? integer($0, type) }
    case .string: return record.withText(node) { TextValue.value($0, type) }
    case .object:
      guard let extended = ExtendedJSON(record, node) else { return nil }
      return record.withText(extended.node) { TextValue.value($0, type) }
    }
  }

  /// Returns an integer that is written with a zero fraction or an exponent.
  private static func integer(
    _ text: UnsafeBufferPointer<UInt8>, _ type: PropertyType
  ) -> Value? {
    guard type == .int, let number = FieldParsing.double(text) else { return nil }
    return Int64(exactly: number).map(Value.int)
  }

  /// Returns a mixed value; nil if it is nested too deeply or a number is out of range.
  private static func any(_ record: JSONRecord, _ node: Int, levels: Int) -> Value? {
    switch record[node].kind {
    case .null: return .null
    case .true: return .bool(true)
    case .false: return .bool(false)
    case .string: return .string(record.text(node))
    case .number: return record.withText(node, FieldParsing.double).map(Value.double)
    case .integer:
      return record.withText(node) { text in
        TextValue.value(text, .int) ?? TextValue.value(text, .decimal128)
      }
    case .array:
      guard levels > 0 else { return nil }
      var elements: [Value] = []
      for element in record.elements(of: node) {
        guard let value = any(record, element, levels: levels - 1) else { return nil }
        elements.append(value)
      }
      return .list(elements)
    case .object:
      if let extended = ExtendedJSON(record, node),
        let value = record.withText(extended.node, { TextValue.value($0, extended.type) })
      {
        return value
      }
      guard levels > 0 else { return nil }
      var entries: [(String, Value)] = []
      for (name, member) in record.members(of: node) {
        guard let value = any(record, member, levels: levels - 1) else { return nil }
        entries.append((mapKey(record.text(name)), value))
      }
      return .map(ValueMap(entries))
    }
  }

  /// Returns a name as the key of a map; full stops and a leading `$`, which keys may not have, are
  /// percent-encoded.
  static func mapKey(_ name: String) -> String {
    let key = name.replacing(".", with: "%2E")
    guard key.utf8.first == UInt8(ascii: "$") else { return key }
    return "%24" + String(key.unicodeScalars.dropFirst())
  }
}
