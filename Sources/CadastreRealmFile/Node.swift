/// A node of the file: a header of eight bytes and elements of equal size.
///
/// The header and the length of the elements were checked; the bytes remain valid while their
/// ``FileImage`` exists.
// Safe because the bytes of a file never change.
struct Node: @unchecked Sendable {
  /// The rule by which the number of elements and the width determine their length.
  enum Layout: UInt8 {
    /// The width is a number of bits.
    case bits = 0
    /// The width is a number of bytes.
    case bytes = 1
    /// Each element is one byte, for any width.
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
  /// The rule for the length of the elements.
  @inline(__always)
  var layout: Layout { Layout(flags: flags) ?? .blob }
  /// The width of an element in bits or bytes.
  var width: Int { Self.width(flags) }

  /// Returns the width of an element that the flags of a header contain.
  static func width(_ flags: UInt8) -> Int { (1 << Int(flags & 7)) >> 1 }
}

extension Node.Layout {
  /// Creates the layout that the flags of a header contain; nil for an unknown one.
  init?(flags: UInt8) { self.init(rawValue: flags >> 3 & 3) }
}

extension Node {
  /// Returns a signed element of an array of integers.
  ///
  /// - Throws: ``Damage`` if the index is out of range, or the node is not an array of integers.
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

  /// Returns an element of an array of unsigned integers, such as the keys of a cluster.
  ///
  /// - Throws: ``Damage`` if the index is out of range, or the node is not an array of integers.
  func unsigned(_ index: Int) throws(Damage) -> UInt64 {
    let value = UInt64(bitPattern: try integer(index))
    return width < 64 ? value & (UInt64(1) << UInt64(width) - 1) : value
  }

  /// Returns the element at an index, which must exist, as a number of the width of `type`.
  func load<Number: FixedWidthInteger>(_ index: Int, _ type: Number.Type) -> Number {
    Number(
      littleEndian: payload.loadUnaligned(
        fromByteOffset: index &* MemoryLayout<Number>.size, as: type))
  }

  private func missing(_ index: Int) -> Damage {
    Damage(offset, "integer \(index) is needed of \(layout == .bits ? count : 0)")
  }

  /// Checks that the node is an array of integers.
  ///
  /// - Throws: ``Damage`` if the node is of another kind.
  func requireIntegers() throws(Damage) {
    guard layout == .bits, !hasReferences, !isInner else {
      throw Damage(offset, "expected an array of integers")
    }
  }

  /// Checks that the node is an array of references.
  ///
  /// - Throws: ``Damage`` if the node is of another kind.
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

/// The part of a file that contains nodes.
struct NodeSpace: Sendable {
  /// The owner of the bytes.
  let file: FileImage
  /// The offset after the last byte that a node may use.
  var limit: Int

  /// The size of the file header, which precedes all nodes.
  static let headerSize = 24

  /// Returns the node at an offset, with its header checked.
  ///
  /// - Throws: ``Damage`` if the offset or the length of the node is out of bounds.
  func node(_ reference: UInt64, from source: Int) throws(Damage) -> Node {
    guard reference & 7 == 0, reference >= UInt64(Self.headerSize),
      reference <= UInt64(limit), limit - Int(reference) >= 8
    else {
      throw Damage(
        source, "found the reference \(reference); expected a multiple of 8 from 24 to \(limit - 8)"
      )
    }
    let offset = Int(reference)
    let bytes = file.bytes
    let flags = bytes[offset + 4]
    let count = Int(bytes[offset + 5]) << 16 | Int(bytes[offset + 6]) << 8 | Int(bytes[offset + 7])
    guard let layout = Node.Layout(flags: flags) else {
      throw Damage(offset, "found a node of an unknown layout")
    }
    let width = Node.width(flags)
    let length =
      switch layout {
      case .bits: (count * width + 7) / 8
      case .bytes: count * width
      case .blob: count
      }
    guard length <= limit - offset - 8 else {
      throw Damage(offset, "found a node of \(length) bytes; there are \(limit - offset - 8)")
    }
    return Node(
      offset: offset, flags: flags, count: count,
      payload: UnsafeRawBufferPointer(rebasing: bytes[(offset + 8)..<(offset + 8 + length)]))
  }

  // MARK: Elements of arrays of references

  /// Returns the node to which an element refers; nil for 0.
  ///
  /// - Throws: ``Damage`` if the element is a number, or the node is out of bounds.
  func optionalNode(_ parent: Node, _ index: Int) throws(Damage) -> Node? {
    guard parent.hasReferences else {
      throw Damage(parent.offset, "expected an array of references")
    }
    let element = UInt64(bitPattern: try parent.integer(index))
    guard element != 0 else { return nil }
    return try node(element, from: parent.offset)
  }

  /// Returns the node to which an element refers.
  ///
  /// - Throws: ``Damage`` if the element is not a reference, or the node is out of bounds.
  func node(_ parent: Node, _ index: Int) throws(Damage) -> Node {
    guard let node = try optionalNode(parent, index) else {
      throw Damage(parent.offset, "element \(index) is empty; expected a reference")
    }
    return node
  }
}

extension Node {
  /// Returns the number that is stored in an element of an array of references; nil for 0 and
  /// references.
  ///
  /// - Throws: ``Damage`` if the index is out of range.
  func number(_ index: Int) throws(Damage) -> UInt64? {
    let element = UInt64(bitPattern: try integer(index))
    return element & 1 == 1 ? element >> 1 : nil
  }
}
