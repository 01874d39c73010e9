import CadastreFormatting
import CadastreModel

/// Lossless conversion of values between types.
enum TypedValue {
  /// Converts a value to a type; nil if it cannot be converted.
  static func value(_ value: Value, _ type: PropertyType) -> Value? {
    if value.type == type || type == .any { return value }
    switch (value, type) {
    case (.int(let number), .double):
      return Double(exactly: number).map(Value.double)
    case (.int(let number), .bool): return number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.double(let number), .float): return .float(Float(number))
    case (.double(let number), .int): return Int64(exactly: number).map(Value.int)
    case (.bool(let isTrue), .int): return .int(isTrue ? 1 : 0)
    case (.int, _), (.double, _), (.bool, _), (.string, _), (.date, .string):
      // Other conversions use the text, which is exact for numbers.
      var text = FieldText.plain(.value(value))
      return text.withUTF8 { TextValue.value($0, type) }
    default: return nil
    }
  }

  /// Converts a value to the type of a property.
  ///
  /// - Parameters:
  ///   - value: The value of a field.
  ///   - property: The property.
  ///   - name: The name of the field.
  /// - Returns: The stored value.
  /// - Throws: ``Rejection`` if the value cannot be converted, or is null and required.
  static func stored(
    _ value: Value, in property: Property, field name: String
  ) throws(Rejection) -> Value {
    let type = property.type
    if value.isNull {
      if property.isOptional || type == .any { return .null }
      if type == .string { return .string("") }
      throw Rejection(
        field: name,
        reason: "'\(printable(name))' is null; expected \(articled(type)), which is required")
    }
    if let converted = self.value(value, type) { return converted }
    throw Rejection(
      field: name,
      reason: "'\(printable(name))': expected \(articled(type)), found "
        + "'\(printable(FieldText.plain(.value(value)).prefix(60)))'")
  }
}
