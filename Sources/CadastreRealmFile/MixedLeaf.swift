import CadastreModel
import Foundation

/// A leaf of mixed values.
struct MixedLeaf {
  private let file: FileContext
  private let composite: Node
  private let numbers: Node?
  private let pairs: Node?
  private let strings: StringLeaf?
  private let collections: Node?

  /// The number of values.
  var count: Int { composite.count }

  /// Opens a leaf.
  init(_ node: Node, _ file: FileContext, visited: VisitedNodes?) throws(Damage) {
    guard !node.isInner, (1...6).contains(node.count) else {
      throw Damage(node.offset, "expected a leaf of mixed values")
    }
    self.file = file
    let space = file.space
    composite = try space.node(node, 0)
    try composite.requireIntegers()
    try visited?.insert(composite)
    var parts: [Node?] = []
    for index in 1..<5 {
      let part = index < node.count ? try space.optionalNode(node, index) : nil
      if let part { try visited?.insert(part) }
      parts.append(part)
    }
    (numbers, pairs, collections) = (parts[0], parts[1], parts[3])
    try numbers?.requireIntegers()
    try pairs?.requireIntegers()
    try collections?.requireReferences()
    strings = if let part = parts[2] { try StringLeaf(part, space, visited: visited) } else { nil }
  }

  /// Returns a value; nested lists and dictionaries are read completely.
  ///
  /// - Throws: ``Damage``.
  func value(_ index: Int, _ pass: ReadingPass) throws(Damage) -> Value {
    let code = try composite.integer(index)
    guard code != 0 else { return .null }
    let payload = code >> 8
    switch code & 31 - 1 {
    case 0: return .int(code >> 5 & 7 == 0 ? payload : try number(payload))
    case 1: return .bool(payload != 0)
    case 2: return .string(String(decoding: try bytes(payload, pass), as: UTF8.self))
    case 4: return .data(Data(try bytes(payload, pass)))
    case 8:
      let (seconds, nanoseconds) = try pair(payload)
      return .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    case 9: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try number(payload))))
    case 10: return .double(Double(bitPattern: UInt64(bitPattern: try number(payload))))
    case 11:
      let (low, high) = try pair(payload)
      let bits = UInt128(UInt64(bitPattern: high)) << 64 | UInt128(UInt64(bitPattern: low))
      return .decimal(Decimal128(bits: bits))
    case 15, 17:
      let bytes = try bytes(payload, pass)
      guard bytes.count == (code & 31 == 16 ? 12 : 16), let value = IdentifierLeaf.value(bytes)
      else { throw Damage(composite.offset, "found an identifier of \(bytes.count) bytes") }
      return value
    case 16: return try link(pair(payload))
    case 19:
      guard let root = try collection(payload) else { return .list([]) }
      return .list(try pass.nested(root) { (reader) throws(Damage) in try reader.mixedList(root) })
    case 21:
      guard let root = try collection(payload) else { return .map(ValueMap()) }
      return .map(try pass.nested(root) { (reader) throws(Damage) in try reader.dictionary(root) })
    default:
      throw Damage(composite.offset, "found a mixed value of the unknown type \(code & 31 - 1)")
    }
  }

  private func number(_ index: Int64) throws(Damage) -> Int64 {
    guard let numbers else { throw missingPayload }
    return try numbers.integer(try bounded(index))
  }

  private func pair(_ index: Int64) throws(Damage) -> (Int64, Int64) {
    guard let pairs else { throw missingPayload }
    let index = try bounded(index)
    return (try pairs.integer(2 * index), try pairs.integer(2 * index + 1))
  }

  private func bytes(_ index: Int64, _ pass: ReadingPass) throws(Damage) -> UnsafeRawBufferPointer {
    guard let strings else { throw missingPayload }
    return try strings.bytes(try bounded(index), pass)
      ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private func collection(_ index: Int64) throws(Damage) -> Node? {
    guard let collections else { throw missingPayload }
    return try file.space.optionalNode(collections, try bounded(index))
  }

  private func link(_ address: (table: Int64, key: Int64)) throws(Damage) -> Value {
    // A negative key refers to no object, or to one that another device has deleted.
    guard address.key >= 0 else { return .null }
    let number = UInt32(truncatingIfNeeded: address.table)
    guard let table = file.table(key: Int(number)) else {
      throw Damage(composite.offset, "found a link to table \(number), which does not exist")
    }
    return .object(ObjectAddress(className: table, key: ObjectKey(address.key)))
  }

  /// Returns an index after a check of its range.
  private func bounded(_ index: Int64) throws(Damage) -> Int {
    guard (0..<(1 << 24)).contains(index) else {
      throw Damage(composite.offset, "found the index \(index) of a mixed value")
    }
    return Int(index)
  }

  private var missingPayload: Damage {
    Damage(composite.offset, "found a mixed value whose content is missing")
  }
}
