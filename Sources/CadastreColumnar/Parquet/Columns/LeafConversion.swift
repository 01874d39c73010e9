import CadastreModel
import Foundation

/// The conversion of stored values of a leaf to values of the object model.
struct LeafConversion {
  private let content: LeafContent
  private let type: PhysicalType

  init(_ leaf: LeafColumn) {
    content = leaf.content
    type = leaf.type
  }

  /// Returns a value of a batch.
  func value(_ index: Int, _ batch: LeafBatch) -> Value {
    switch content {
    case .nothing: .null
    case .bool: .bool(batch.words[index] != 0)
    case .integer(let bits, let isSigned): integer(batch.words[index], bits, isSigned)
    case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: batch.words[index])))
    case .double: .double(Double(bitPattern: UInt64(bitPattern: batch.words[index])))
    case .text, .json:
      batch.withBytes(index) { .string(String(decoding: $0, as: UTF8.self)) }
    case .data, .wellKnownBinary: batch.withBytes(index) { .data(Data($0)) }
    case .date: .date(Timestamp(seconds: batch.words[index] * 86_400, nanoseconds: 0))
    case .timestamp(let unit): .date(Self.timestamp(batch.words[index], unit))
    case .time(let unit): .string(Self.time(batch.words[index], unit))
    case .decimal(let scale): decimal(index, batch, scale)
    case .uuid:
      batch.withBytes(index) { UUID(bytes: $0).map(Value.uuid) ?? .data(Data($0)) }
    case .float16:
      batch.withBytes(index) { bytes in
        .float(HalfFloat.value(UInt16(bytes[0]) | UInt16(bytes[1]) << 8))
      }
    case .int96: batch.withBytes(index) { .date(Self.julian($0)) }
    case .interval: batch.withBytes(index) { .string(Self.interval($0)) }
    }
  }

  private func integer(_ word: Int64, _ bits: Int, _ isSigned: Bool) -> Value {
    switch (bits, isSigned) {
    case (8, true): return .int(Int64(Int8(truncatingIfNeeded: word)))
    case (16, true): return .int(Int64(Int16(truncatingIfNeeded: word)))
    case (8, false): return .int(Int64(UInt8(truncatingIfNeeded: word)))
    case (16, false): return .int(Int64(UInt16(truncatingIfNeeded: word)))
    case (32, false): return .int(Int64(UInt32(truncatingIfNeeded: word)))
    case (64, false) where word < 0 && type == .int64:
      let magnitude = UInt128(UInt64(bitPattern: word))
      return .decimal(Decimal128(isNegative: false, exactly: magnitude, exponent: 0))
    default: return .int(word)
    }
  }

  private static func timestamp(_ word: Int64, _ unit: TimeUnit) -> Timestamp {
    let (seconds, rest) = word.dividedRoundingDown(by: unit.perSecond)
    return Timestamp(seconds: seconds, nanoseconds: rest * (1_000_000_000 / unit.perSecond))
  }

  /// Returns a time of day as text, `13:05:06.25`; a number beyond a day becomes its digits.
  private static func time(_ word: Int64, _ unit: TimeUnit) -> String {
    let (seconds, rest) = word.dividedRoundingDown(by: unit.perSecond)
    guard (0..<86_400).contains(seconds) else { return "\(word)" }
    func padded(_ number: Int64, _ count: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    let whole =
      "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    if rest == 0 { return whole }
    var fraction = padded(rest, unit.rawValue)
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(whole).\(fraction)"
  }

  /// Returns the timestamp of 12 bytes: nanoseconds of the day and the Julian day.
  private static func julian(_ bytes: UnsafeRawBufferPointer) -> Timestamp {
    let nanoseconds = bytes.loadUnaligned(as: UInt64.self)
    let day = Int64(bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) - 2_440_588
    let seconds = day * 86_400 + Int64(nanoseconds / 1_000_000_000)
    return Timestamp(seconds: seconds, nanoseconds: Int64(nanoseconds % 1_000_000_000))
  }

  /// Returns an interval of months, days and milliseconds as an ISO 8601 duration.
  private static func interval(_ bytes: UnsafeRawBufferPointer) -> String {
    let parts = (0..<3).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self) }
    let thousandths = "\(1000 + parts[2] % 1000)".dropFirst()
    return "P\(parts[0])M\(parts[1])DT\(parts[2] / 1000).\(thousandths)S"
  }

  // MARK: Decimals

  private func decimal(_ index: Int, _ batch: LeafBatch, _ scale: Int) -> Value {
    if type == .int32 || type == .int64 {
      let word = batch.words[index]
      return decimal(UInt128(word.magnitude), isNegative: word < 0, scale) ?? .int(word)
    }
    return batch.withBytes(index) { bytes in
      let isNegative = (bytes.first ?? 0) & 0x80 != 0
      let significant = bytes.drop { $0 == (isNegative ? 0xFF : 0) }
      guard significant.count <= 16 else { return .data(Data(bytes)) }
      var magnitude: UInt128 = 0
      for byte in significant { magnitude = magnitude << 8 | UInt128(isNegative ? ~byte : byte) }
      guard magnitude < UInt128.max else { return .data(Data(bytes)) }
      let coefficient = magnitude + (isNegative ? 1 : 0)
      return decimal(coefficient, isNegative: isNegative, scale)
        ?? .string(Self.digits(coefficient, isNegative: isNegative, scale))
    }
  }

  /// Returns a decimal that has more digits than the type, as text.
  private static func digits(_ coefficient: UInt128, isNegative: Bool, _ scale: Int) -> String {
    var text = String(coefficient)
    if (1...6000).contains(scale) {
      text = String(repeating: "0", count: max(scale + 1 - text.count, 0)) + text
      text.insert(".", at: text.index(text.endIndex, offsetBy: -scale))
    }
    return isNegative ? "-" + text : text
  }

  /// Returns a decimal; nil if it has more digits than the type.
  private func decimal(_ coefficient: UInt128, isNegative: Bool, _ scale: Int) -> Value? {
    guard coefficient <= Decimal128.maxCoefficient, (0...6000).contains(scale) else { return nil }
    return .decimal(
      Decimal128(isNegative: isNegative, exactly: coefficient, exponent: -scale))
  }
}

/// The IEEE 754 floating-point numbers of 16 bits.
enum HalfFloat {
  /// Returns the number with a bit pattern.
  static func value(_ bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Float(bits & 0x3FF)
    switch exponent {
    case 0: return sign * fraction * 0x1p-24
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default:
      return sign * (1 + fraction * 0x1p-10)
        * Float(sign: .plus, exponent: exponent - 15, significand: 1)
    }
  }
}
