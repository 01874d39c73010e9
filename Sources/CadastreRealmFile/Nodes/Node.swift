/// A node of the file: a header of eight bytes and elements of equal size.
///
/// The header and the length of the elements were checked; the bytes remain valid while their
/// ``FileBytes`` exists.
// Safe because the bytes of a file never change.
struct Node: @unchecked Sendable {
  /// How the length of the elements follows from their number and the width.
  enum Layout: UInt8 {
    /// The width is a number of bits.
    case bits = 0
    /// The width is a number of bytes.
    case bytes = 1
    /// The elements are bytes, whatever the width.
    case blob = 2
  }

  /// The offset of the header in the file.
  let offset: Int
  private let flags: UInt8
  /// The number of elements.
  let count: Int
  /// The elements.
  let payload: UnsafeRawBufferPointer

  init(offset: Int, flags: UInt8, count: Int, payload: UnsafeRawBufferPointer) {
    self.offset = offset
    self.flags = flags
    self.count = count
    self.payload = payload
  }

  /// Whether this is an inner node of a tree.
  var isInner: Bool { flags & 0x80 != 0 }
  /// Whether the elements may be references to other nodes.
  var hasReferences: Bool { flags & 0x40 != 0 }
  /// The flag whose meaning depends on the kind of node.
  var context: Bool { flags & 0x20 != 0 }
  /// How the length of the elements is computed.
  @inline(__always)
  var layout: Layout { Layout(flags: flags) ?? .blob }
  /// The width of an element in bits or bytes.
  var width: Int { Self.width(flags) }

  /// The width in a header.
  static func width(_ flags: UInt8) -> Int { (1 << Int(flags & 7)) >> 1 }
}

extension Node.Layout {
  /// Creates the layout in the flags of a header; nil if there is none.
  init?(flags: UInt8) { self.init(rawValue: flags >> 3 & 3) }
}

extension Node {
  /// Returns a signed element of an array of integers.
  ///
  /// - Throws: ``Damage`` if there is no such element.
  @inline(__always)
  func integer(_ index: Int) throws(Damage) -> Int64 {
    guard index >= 0, index < count, layout == .bits else { throw missing(index) }
    return switch width {
    case 0: 0
    case 1: Int64(payload[index >> 3] >> UInt8(index & 7) & 1)
    case 2: Int64(payload[index >> 2] >> UInt8((index & 3) * 2) & 3)
    case 4: Int64(payload[index >> 1] >> UInt8((index & 1) * 4) & 15)
    case 8: Int64(load(index, Int8.self))
    case 16: Int64(load(index, Int16.self))
    case 32: Int64(load(index, Int32.self))
    default: load(index, Int64.self)
    }
  }

  /// Returns an element of an array of unsigned integers, which are the keys of clusters.
  ///
  /// - Throws: ``Damage`` if there is no such element.
  func unsigned(_ index: Int) throws(Damage) -> UInt64 {
    let value = UInt64(bitPattern: try integer(index))
    return width < 64 ? value & (UInt64(1) << UInt64(width) - 1) : value
  }

  private func load<Number: FixedWidthInteger>(_ index: Int, _ type: Number.Type) -> Number {
    Number(
      littleEndian: payload.loadUnaligned(
        fromByteOffset: index &* MemoryLayout<Number>.size, as: type))
  }

  private func missing(_ index: Int) -> Damage {
    Damage(offset, "integer \(index) is needed of \(layout == .bits ? count : 0)")
  }

  /// Checks that the node is an array of integers.
  ///
  /// - Throws: ``Damage`` if it is of another kind.
  func requireIntegers() throws(Damage) {
    guard layout == .bits, !hasReferences, !isInner else {
      throw Damage(offset, "expected an array of integers")
    }
  }

  /// Checks that the node is an array of references.
  ///
  /// - Throws: ``Damage`` if it is of another kind.
  func requireReferences() throws(Damage) {
    guard layout == .bits, hasReferences || count == 0 else {
      throw Damage(offset, "expected an array of references")
    }
  }

  /// Checks the number of elements.
  ///
  /// - Throws: ``Damage`` if it differs.
  func requireCount(_ expected: Int) throws(Damage) {
    guard count == expected else {
      throw Damage(offset, "found \(count) elements; expected \(expected)")
    }
  }
}
