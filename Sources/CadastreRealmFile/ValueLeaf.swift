import CadastreModel
import Foundation

/// A leaf with values of one type: those of a column in a cluster, or a part of a list or set.
struct ValueLeaf {
  private enum Content {
    case integers(Node)
    case nullableIntegers(Node, null: Int64)
    case booleans(Node)
    case floats(Node)
    case doubles(Node)
    case dates(seconds: Node, null: Int64, nanoseconds: Node)
    case strings(StringLeaf)
    case data(StringLeaf)
    case decimals(DecimalLeaf)
    case identifiers(IdentifierLeaf)
    /// The keys of linked objects, each increased by `offset`.
    case links(Node, offset: Int64)
    indirect case mixed(MixedLeaf)
  }

  private let content: Content
  private let isNullable: Bool
  private let offset: Int
  /// The number of values.
  let count: Int

  /// Opens a leaf.
  ///
  /// - Parameters:
  ///   - node: The node of the leaf.
  ///   - type: The type of the values, and whether null is allowed.
  ///   - isElement: Whether the values are elements of a list or set.
  ///   - file: The file and its tables.
  ///   - distinct: The distinct strings of an enumerated column.
  ///   - visited: The set to which the nodes of the leaf are added.
  /// - Throws: ``Damage`` if the nodes are of another kind.
  init(
    _ node: Node, _ type: (type: PropertyType, isNullable: Bool), isElement: Bool,
    _ file: FileContext, distinct: Node? = nil, visited: VisitedNodes?
  ) throws(Damage) {
    try visited?.insert(node)
    let space = file.space
    isNullable = type.isNullable
    offset = node.offset
    switch type.type {
    case .int:
      try node.requireIntegers()
      (content, count) =
        isNullable ? try Self.nullable(node) : (.integers(node), node.count)
    case .bool:
      try node.requireIntegers()
      (content, count) = (.booleans(node), node.count)
    case .float, .double:
      guard node.layout == .bytes, !node.hasReferences, !node.isInner,
        node.count == 0 || node.width == (type.type == .float ? 4 : 8)
      else { throw Damage(node.offset, "expected values of type \(type.type)") }
      (content, count) = (type.type == .float ? .floats(node) : .doubles(node), node.count)
    case .date:
      (content, count) = try Self.dates(node, space, visited)
    case .string:
      let strings = try StringLeaf(node, space, distinct: distinct, visited: visited)
      (content, count) = (.strings(strings), strings.count)
    case .data:
      let strings = try StringLeaf(node, space, isData: true, visited: visited)
      (content, count) = (.data(strings), strings.count)
    case .decimal128:
      let decimals = try DecimalLeaf(node)
      (content, count) = (.decimals(decimals), decimals.count)
    case .objectId, .UUID:
      let identifiers = try IdentifierLeaf(node, size: type.type == .UUID ? 16 : 12)
      (content, count) = (.identifiers(identifiers), identifiers.count)
    case .object:
      try node.requireIntegers()
      (content, count) = (.links(node, offset: isElement ? 0 : 1), node.count)
    case .any:
      let mixed = try MixedLeaf(node, file, visited: visited)
      (content, count) = (.mixed(mixed), mixed.count)
    case .linkingObjects: throw Damage(node.offset, "found backlinks; expected values")
    case .geometry: throw Damage(node.offset, "found a geometry, which Realm does not have")
    }
  }

  private static func nullable(_ node: Node) throws(Damage) -> (Content, Int) {
    guard node.count > 0 else {
      throw Damage(node.offset, "found no element; expected the number that means null")
    }
    return (.nullableIntegers(node, null: try node.integer(0)), node.count - 1)
  }

  private static func dates(
    _ node: Node, _ space: NodeSpace, _ visited: VisitedNodes?
  ) throws(Damage) -> (Content, Int) {
    guard !node.isInner else { throw Damage(node.offset, "expected a leaf of dates") }
    try node.requireReferences()
    try node.requireCount(2)
    let (seconds, nanoseconds) = (try space.node(node, 0), try space.node(node, 1))
    try seconds.requireIntegers()
    try nanoseconds.requireIntegers()
    try visited?.insert(seconds)
    try visited?.insert(nanoseconds)
    try seconds.requireCount(nanoseconds.count + 1)
    return (
      .dates(seconds: seconds, null: try seconds.integer(0), nanoseconds: nanoseconds),
      nanoseconds.count
    )
  }

  /// Returns a value and adds its nodes to the visited nodes of `pass`.
  ///
  /// A null string or data of a required column is empty, as in Realm.
  ///
  /// - Throws: ``Damage``, also for null in a required column.
  func value(_ index: Int, _ pass: ReadingPass) throws(Damage) -> Value {
    guard index >= 0, index < count else {
      throw Damage(offset, "value \(index) of \(count) is needed")
    }
    switch content {
    case .integers(let node): return .int(try node.integer(index))
    case .nullableIntegers(let node, let null):
      let number = try node.integer(index + 1)
      return number == null ? .null : .int(number)
    case .booleans(let node):
      let number = try node.integer(index)
      return number == 3 && isNullable ? .null : .bool(number != 0)
    case .floats(let node):
      let bits = node.load(index, UInt32.self)
      return bits == 0x7FC0_00AA && isNullable ? .null : .float(Float(bitPattern: bits))
    case .doubles(let node):
      let bits = node.load(index, UInt64.self)
      return bits == 0x7FF8_0000_0000_00AA && isNullable ? .null : .double(Double(bitPattern: bits))
    case .dates(let seconds, let null, let nanoseconds):
      let number = try seconds.integer(index + 1)
      guard number != null else { return try required() }
      return .date(Timestamp(seconds: number, nanoseconds: try nanoseconds.integer(index)))
    case .strings(let strings):
      guard let text = try strings.text(index, pass) else {
        return isNullable ? .null : .string("")
      }
      return .string(text)
    case .data(let strings):
      guard let bytes = try strings.bytes(index, pass) else {
        return isNullable ? .null : .data(Data())
      }
      return .data(Data(bytes))
    case .decimals(let decimals): return try required(decimals.value(index))
    case .identifiers(let identifiers): return try required(identifiers.value(index))
    case .links(let node, let offset):
      // A negative key refers to no object, or to one that another device has deleted.
      let key = try node.integer(index) &- offset
      return key < 0 ? .null : .link(ObjectKey(key))
    case .mixed(let mixed): return try mixed.value(index, pass)
    }
  }

  private func required(_ value: Value = .null) throws(Damage) -> Value {
    guard value.isNull, !isNullable else { return value }
    throw Damage(offset, "found null in a required property")
  }
}

/// A leaf of object identifiers or UUIDs, in blocks of eight with a byte of null flags.
struct IdentifierLeaf {
  private let node: Node
  /// The size of an element in bytes: 12 or 16.
  private let size: Int
  /// The number of elements.
  let count: Int

  /// Opens a leaf of elements of `size` bytes.
  init(_ node: Node, size: Int) throws(Damage) {
    // The width is 1, or 0 in an empty leaf.
    guard node.layout == .bytes, !node.hasReferences, !node.isInner,
      node.width == 1 || node.width == 0 && node.count == 0
    else { throw Damage(node.offset, "expected identifiers of \(size) bytes") }
    self.node = node
    self.size = size
    let block = 8 * size + 1
    let flags = (node.count + block - 1) / block
    guard (node.count - flags) % size == 0 else {
      throw Damage(node.offset, "found \(node.count) bytes of identifiers of \(size) bytes")
    }
    count = (node.count - flags) / size
  }

  /// Returns an element, which must exist.
  func value(_ index: Int) -> Value {
    let start = index / 8 * (8 * size + 1)
    guard node.payload[start] >> UInt8(index & 7) & 1 == 0 else { return .null }
    let first = start + 1 + index % 8 * size
    let bytes = UnsafeRawBufferPointer(rebasing: node.payload[first..<(first + size)])
    return Self.value(bytes) ?? .null
  }

  /// Returns the identifier with 12 or 16 bytes; nil for other numbers of bytes.
  static func value(_ bytes: UnsafeRawBufferPointer) -> Value? {
    bytes.count == 12
      ? .objectId(ObjectId(bytes: Array(bytes))) : UUID(bytes: bytes).map(Value.uuid)
  }
}

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
      let bits = UInt64(node.load(index, UInt32.self))
      return bits == 0x7C00_00AA ? .null : .decimal(Self.decoded(bits, .short))
    case 8:
      let bits = node.load(index, UInt64.self)
      return bits == 0x7C00_0000_0000_00AA ? .null : .decimal(Self.decoded(bits, .medium))
    default:
      let low = node.load(index * 2, UInt64.self)
      let high = node.load(index * 2 + 1, UInt64.self)
      guard high != 0x7C00_0000_0000_0000 || low != 0xAA else { return .null }
      return .decimal(Decimal128(bits: UInt128(high) << 64 | UInt128(low)))
    }
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
