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
}
