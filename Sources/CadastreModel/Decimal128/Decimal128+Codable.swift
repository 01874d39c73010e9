extension Decimal128: Codable {
  /// Decodes a string or a number.
  ///
  /// A number that is no integer of 64 bits has the precision of a double.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is no number, or a string that is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let number = Decimal128(parsing: text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "expected a decimal number, found '\(text.prefix(80))'")
      }
      self = number
    } else if let number = try? container.decode(Int64.self) {
      self.init(number)
    } else {
      self.init(try container.decode(Double.self))
    }
  }

  /// Encodes ``stringValue``.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}
