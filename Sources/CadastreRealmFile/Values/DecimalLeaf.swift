import CadastreModel

/// A leaf of decimal numbers of 0, 4, 8 or 16 bytes.
struct DecimalLeaf {
  private let node: Node

  /// Opens a leaf.
  init(_ node: Node) throws(Damage) {
    guard node.layout == .bytes, !node.hasReferences, !node.isInner,
      [0, 4, 8, 16].contains(node.width)
    else { throw Damage(node.offset, "expected decimal numbers of 0, 4, 8 or 16 bytes") }
    self.node = node
  }

  /// The number of elements.
  var count: Int { node.count }

  /// Returns an element, which must exist.
  func value(_ index: Int) -> Value {
    switch node.width {
    case 0: return node.context ? .decimal(Decimal128()) : .null
    case 4:
      let bits = UInt64(load(index, UInt32.self))
      return bits == 0x7C00_00AA ? .null : .decimal(Self.decoded(bits, .short))
    case 8:
      let bits = load(index, UInt64.self)
      return bits == 0x7C00_0000_0000_00AA ? .null : .decimal(Self.decoded(bits, .medium))
    default:
      let low = load(index * 2, UInt64.self)
      let high = load(index * 2 + 1, UInt64.self)
      guard high != 0x7C00_0000_0000_0000 || low != 0xAA else { return .null }
      return .decimal(Decimal128(bits: UInt128(high) << 64 | UInt128(low)))
    }
  }

  private func load<Number: FixedWidthInteger>(_ index: Int, _ type: Number.Type) -> Number {
    Number(
      littleEndian: node.payload.loadUnaligned(
        fromByteOffset: index * MemoryLayout<Number>.size, as: type))
  }

  /// The constants of a format with a binary coefficient, IEEE 754-2008, section 3.5.2.
  private struct Format {
    let bits: UInt64
    let coefficientBits: UInt64
    let exponentMask: UInt64
    let bias: Int
    let maximum: UInt64

    static let short = Format(
      bits: 32, coefficientBits: 23, exponentMask: 0xFF, bias: 101, maximum: 9_999_999)
    static let medium = Format(
      bits: 64, coefficientBits: 53, exponentMask: 0x3FF, bias: 398,
      maximum: 9_999_999_999_999_999)
  }

  private static func decoded(_ bits: UInt64, _ format: Format) -> Decimal128 {
    let isNegative = bits >> (format.bits - 1) != 0
    let special = bits >> (format.bits - 6) & 31
    if special == 0b11110 { return isNegative ? -Decimal128.infinity : .infinity }
    if special == 0b11111 { return .nan }
    var coefficient: UInt64
    let shift: UInt64
    if special >> 3 == 0b11 {
      // Two implied bits, 10, precede the coefficient.
      shift = format.coefficientBits - 2
      coefficient = bits & (1 << shift - 1) | 1 << format.coefficientBits
    } else {
      shift = format.coefficientBits
      coefficient = bits & (1 << shift - 1)
    }
    if coefficient > format.maximum { coefficient = 0 }
    return Decimal128(
      isNegative: isNegative, exactly: UInt128(coefficient),
      exponent: Int(bits >> shift & format.exponentMask) - format.bias)
  }
}
