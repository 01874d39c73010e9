package import CadastreModel

extension Aggregate.Operation {
  /// The aggregate of some elements; nulls and NaN are ignored, and so are values that are not
  /// numbers, except for the minimum and maximum of values in order.
  ///
  /// - Parameters:
  ///   - elements: The values in the collection.
  ///   - isDecimal: Whether sums are decimal also of no values.
  /// - Returns: A value; null where there is none.
  package func result(_ elements: [Value], isDecimal: Bool = false) -> Value {
    let counted = elements.filter { !$0.isNull && !$0.isNaN }
    switch self {
    case .min: return counted.min { $0.ordering($1) == .ascending } ?? .null
    case .max: return counted.max { $0.ordering($1) == .ascending } ?? .null
    case .sum:
      return Self.sum(counted.filter { $0.type?.isNumeric == true }, isDecimal: isDecimal)
    case .average:
      let numbers = counted.filter { $0.type?.isNumeric == true }
      guard !numbers.isEmpty else { return .null }
      return Self.quotient(Self.sum(numbers, isDecimal: isDecimal), numbers.count)
    }
  }

  private static func sum(_ numbers: [Value], isDecimal: Bool) -> Value {
    numbers.reduce(isDecimal ? .decimal(0) : .int(0)) { Arithmetic.Operation.add.result($0, $1) }
  }

  /// A sum divided by a count; the average of whole numbers may be a fraction.
  private static func quotient(_ sum: Value, _ count: Int) -> Value {
    if case .int(let whole) = sum { return .double(Double(whole) / Double(count)) }
    return Arithmetic.Operation.divide.result(sum, .int(Int64(count)))
  }
}
