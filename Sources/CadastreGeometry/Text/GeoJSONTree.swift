/// A JSON value as a tree with offsets, for GeoJSON.
///
/// Escapes in strings are not decoded, because no string of GeoJSON needs them.
///
/// Source: RFC 8259.
struct GeoJSONTree {
  /// The offset of the value, in bytes from the start.
  let offset: Int
  let content: Content

  indirect enum Content {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([GeoJSONTree])
    case object([String: GeoJSONTree])
  }

  /// The maximum nesting of arrays and objects, which bounds the stack that a hostile text can use.
  ///
  /// A collection needs two levels, and a feature with a multi-polygon eight.
  static let maximumDepth = 2 * Geometry.maximumDepth + 8
}

extension TextReader {
  /// Reads a JSON value after optional white space.
  ///
  /// - Parameter depth: The number of arrays and objects around the value.
  /// - Returns: The value.
  /// - Throws: ``GeometryTextError`` if the text is not JSON or nests deeper than
  ///   `GeoJSONTree.maximumDepth`.
  mutating func json(depth: Int = 0) throws(GeometryTextError) -> GeoJSONTree {
    skipSpace()
    let start = offset
    guard depth < GeoJSONTree.maximumDepth else {
      throw error(expected: "at most \(GeoJSONTree.maximumDepth) levels of nesting")
    }
    return GeoJSONTree(offset: start, content: try jsonContent(depth: depth))
  }

  private mutating func jsonContent(
    depth: Int
  ) throws(GeometryTextError) -> GeoJSONTree.Content {
    switch next {
    case UInt8(ascii: "{"): return .object(try jsonMembers(depth: depth))
    case UInt8(ascii: "["): return .array(try jsonElements(depth: depth))
    case UInt8(ascii: "\""): return .string(try jsonString())
    case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
      return .number(try number())
    default: return try jsonWord()
    }
  }

  private mutating func jsonWord() throws(GeometryTextError) -> GeoJSONTree.Content {
    let start = offset
    switch take(while: { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: throw error(expected: "a JSON value", at: start)
    }
  }

  private mutating func jsonElements(depth: Int) throws(GeometryTextError) -> [GeoJSONTree] {
    var elements: [GeoJSONTree] = []
    try require("[")
    if skip("]") { return elements }
    repeat { elements.append(try json(depth: depth + 1)) } while skip(",")
    try require("]")
    return elements
  }

  private mutating func jsonMembers(
    depth: Int
  ) throws(GeometryTextError) -> [String: GeoJSONTree] {
    var members: [String: GeoJSONTree] = [:]
    try require("{")
    if skip("}") { return members }
    repeat {
      let name = try jsonString()
      try require(":")
      members[name] = try json(depth: depth + 1)
    } while skip(",")
    try require("}")
    return members
  }

  private mutating func jsonString() throws(GeometryTextError) -> String {
    try require("\"")
    var text = ""
    while true {
      text += take { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      if take(one: UInt8(ascii: "\"")) { return text }
      guard take(one: UInt8(ascii: "\\")), let escaped = next, escaped >= 0x20 else {
        throw error(expected: "the end of a string")
      }
      text += "\\"
      _ = take(one: escaped)
      text.unicodeScalars.append(Unicode.Scalar(escaped))
    }
  }

  private mutating func take(one byte: UInt8) -> Bool {
    guard next == byte else { return false }
    move(to: offset + 1)
    return true
  }
}
