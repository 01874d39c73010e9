/// Numbers with few decimal places, as packed integers and a power of ten.
///
/// A column is encoded only if each integer, divided by the power, gives exactly the bits of its number. Most
/// columns of coordinates and prices are. The idea of decimals in columns: Afroozeh, Kuffo and Boncz, "ALP:
/// Adaptive Lossless Floating-Point Compression", SIGMOD 2023.
struct PackedDecimals: Sendable {
  /// The integers.
  let digits: PackedIntegers
  /// The number of decimal places.
  let places: UInt8
  /// The power of ten that divides the integers.
  private let power: Double

  /// Encodes numbers; nil where encoding loses a bit or saves nothing.
  init?(_ numbers: [Double], except nulls: RowSet) {
    guard
      let decimals = numbers.withUnsafeBufferPointer({ PackedDecimals($0, except: nulls) })
    else { return nil }
    self = decimals
  }

  /// Encodes numbers; nil where encoding loses a bit or saves nothing.
  ///
  /// - Parameters:
  ///   - numbers: The numbers, by row.
  ///   - nulls: The rows that are null; their numbers are undefined after encoding.
  init?(_ numbers: UnsafeBufferPointer<Double>, except nulls: RowSet) {
    let sample = numbers.indices.lazy.filter { !nulls.contains($0) }.prefix(Self.sampleSize)
    var power = 1.0
    for places in 0...Self.mostPlaces {
      if sample.allSatisfy({ Self.digits(of: numbers[$0], power) != nil }) {
        var digits = [Int64](repeating: 0, count: numbers.count)
        let isExact = numbers.indices.allSatisfy { row in
          if let exact = Self.digits(of: numbers[row], power) {
            digits[row] = exact
            return true
          }
          return nulls.contains(row)
        }
        if isExact {
          let packed = PackedIntegers(digits, except: nulls)
          guard packed.bitWidth < 64 else { return nil }
          (self.digits, self.places, self.power) = (packed, places, power)
          return
        }
      }
      power *= 10
    }
    return nil
  }

  /// Creates numbers of stored integers; nil where an encoder returns no such numbers.
  init?(digits: PackedIntegers, places: UInt8) {
    let exact = -Self.mostDigits...Self.mostDigits
    guard places <= Self.mostPlaces, digits.bitWidth < 64, exact.contains(digits.least),
      exact.contains(digits.greatest)
    else { return nil }
    self.digits = digits
    self.places = places
    power = (0..<places).reduce(1.0) { power, _ in power * 10 }
  }

  /// The largest number of decimal places; powers of ten up to 10²² are exact.
  private static let mostPlaces: UInt8 = 9
  /// The largest absolute value of an integer: all up to it are exact as numbers.
  private static let mostDigits: Int64 = 1 << 53 - 1
  /// The number of rows that are tested before all others.
  private static let sampleSize = 32

  /// Returns the integer that, divided by the power, gives exactly a number; nil where there is none.
  @inline(__always)
  private static func digits(of number: Double, _ power: Double) -> Int64? {
    let rounded = (number * power).rounded()
    guard abs(rounded) < 0x1p53 else { return nil }
    // An integer has no negative zero, so -0.0 has none.
    let digits = Int64(rounded)
    return (Double(digits) / power).bitPattern == number.bitPattern ? digits : nil
  }

  /// Returns the number of a row.
  @inline(__always)
  subscript(row: Int) -> Double { Double(digits[row]) / power }

  /// The minimum and the maximum.
  var bounds: ClosedRange<Double> {
    Double(digits.least) / power...Double(digits.greatest) / power
  }

  /// Keeps the rows whose numbers lie in a closed range; a bound that is NaN keeps none.
  func keep(_ rows: inout RowSet, from lower: Double, through upper: Double) {
    let bounds = bounds
    guard lower <= bounds.upperBound, upper >= bounds.lowerBound else { return rows = RowSet() }
    // Division by a power of ten keeps the order, so the integers are compared instead.
    var first = digits.least
    if lower > bounds.lowerBound {
      first = Int64((lower * power).rounded(.up))
      while Double(first - 1) / power >= lower { first -= 1 }
      while Double(first) / power < lower { first += 1 }
    }
    var last = digits.greatest
    if upper < bounds.upperBound {
      last = Int64((upper * power).rounded(.down))
      while Double(last + 1) / power <= upper { last += 1 }
      while Double(last) / power > upper { last -= 1 }
    }
    digits.keep(&rows, from: first, through: last)
  }

  /// Calls a closure with all numbers, in the order of the rows.
  func withNumbers(_ body: (UnsafeBufferPointer<Double>) throws -> Void) rethrows {
    try digits.withNumbers(as: Int64.self) { digits in
      try withUnsafeTemporaryAllocation(of: Double.self, capacity: max(1, digits.count)) { buffer in
        for row in 0..<digits.count { buffer[row] = Double(digits[row]) / power }
        try body(UnsafeBufferPointer(rebasing: buffer[..<digits.count]))
      }
    }
  }

  /// The size in memory in bytes.
  var byteCount: Int { digits.byteCount }
}
