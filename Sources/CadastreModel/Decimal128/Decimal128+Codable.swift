extension Decimal128: Codable {
  /// Reads the text of a number, or a number; text of anything else is an error.
  ///
  /// Numbers lose the digits that a double does not hold, unless they are whole and fit 64 bits.
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

  /// Writes ``stringValue``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}
