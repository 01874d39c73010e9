/// A decoder of Mapbox Vector Tiles, written from the specification alone.
///
/// Source: Mapbox Vector Tile Specification 2.1, vector_tile.proto.
struct DecodedTile {
  enum Value: Hashable {
    case string(String)
    case double(Double)
    case integer(Int64)
    case bool(Bool)
  }

  struct Feature {
    var id: UInt64?
    var type = 0
    var attributes: [String: Value] = [:]
    /// The parts of the geometry: points are parts of their own, rings do not repeat their first position.
    var parts: [[(x: Int, y: Int)]] = []
  }

  struct Invalid: Error {
    let reason: String
  }

  var name = ""
  var version = 0
  var extent = 0
  var features: [Feature] = []

  init(_ bytes: [UInt8]) throws {
    var layers = 0
    for field in try Self.fields(bytes) where field.number == 3 {
      layers += 1
      try readLayer(field.bytes)
    }
    guard layers == 1 else { throw Invalid(reason: "\(layers) layers") }
  }

  private mutating func readLayer(_ bytes: [UInt8]) throws {
    var keys: [String] = []
    var values: [Value] = []
    var raw: [[UInt8]] = []
    for field in try Self.fields(bytes) {
      switch field.number {
      case 1: name = String(decoding: field.bytes, as: UTF8.self)
      case 2: raw.append(field.bytes)
      case 3: keys.append(String(decoding: field.bytes, as: UTF8.self))
      case 4: values.append(try Self.value(field.bytes))
      case 5: extent = Int(field.integer)
      case 15: version = Int(field.integer)
      default: throw Invalid(reason: "field \(field.number) of a layer")
      }
    }
    guard Set(keys).count == keys.count, Set(values).count == values.count else {
      throw Invalid(reason: "repeated keys or values")
    }
    features = try raw.map { try Self.feature($0, keys, values) }
  }

  private static func feature(
    _ bytes: [UInt8], _ keys: [String], _ values: [Value]
  ) throws -> Feature {
    var feature = Feature()
    for field in try fields(bytes) {
      switch field.number {
      case 1: feature.id = field.integer
      case 2:
        let tags = try integers(field.bytes)
        guard tags.count % 2 == 0 else { throw Invalid(reason: "an odd number of tags") }
        for index in stride(from: 0, to: tags.count, by: 2) {
          guard tags[index] < keys.count, tags[index + 1] < values.count else {
            throw Invalid(reason: "a tag outside of the layer")
          }
          feature.attributes[keys[Int(tags[index])]] = values[Int(tags[index + 1])]
        }
      case 3: feature.type = Int(field.integer)
      case 4: feature.parts = try parts(try integers(field.bytes), feature.type)
      default: throw Invalid(reason: "field \(field.number) of a feature")
      }
    }
    return feature
  }

  private static func parts(_ commands: [UInt64], _ type: Int) throws -> [[(x: Int, y: Int)]] {
    var parts: [[(x: Int, y: Int)]] = []
    var (x, y) = (0, 0)
    var index = 0
    while index < commands.count {
      let (command, count) = (commands[index] & 7, Int(commands[index] >> 3))
      index += 1
      switch command {
      case 1, 2:
        guard count > 0, index + 2 * count <= commands.count else {
          throw Invalid(reason: "too few parameters")
        }
        for _ in 0..<count {
          x += zigzag(commands[index])
          y += zigzag(commands[index + 1])
          index += 2
          if command == 1 { parts.append([]) }
          guard !parts.isEmpty else { throw Invalid(reason: "LineTo without MoveTo") }
          parts[parts.count - 1].append((x, y))
        }
      case 7:
        guard type == 3, count == 1, parts.last.map({ $0.count > 2 }) == true else {
          throw Invalid(reason: "ClosePath")
        }
      default: throw Invalid(reason: "command \(command)")
      }
    }
    return parts
  }

  private static func zigzag(_ number: UInt64) -> Int {
    Int(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
  }

  private static func value(_ bytes: [UInt8]) throws -> Value {
    guard let field = try fields(bytes).first else { throw Invalid(reason: "an empty value") }
    switch field.number {
    case 1: return .string(String(decoding: field.bytes, as: UTF8.self))
    case 3: return .double(Double(bitPattern: field.integer))
    case 4, 5: return .integer(Int64(bitPattern: field.integer))
    case 6: return .integer(Int64(zigzag(field.integer)))
    case 7: return .bool(field.integer == 1)
    default: throw Invalid(reason: "value \(field.number)")
    }
  }

  // MARK: Protocol buffers

  private struct Field {
    var number = 0
    var integer: UInt64 = 0
    var bytes: [UInt8] = []
  }

  private static func fields(_ bytes: [UInt8]) throws -> [Field] {
    var rest = bytes[...]
    var fields: [Field] = []
    while !rest.isEmpty {
      let tag = try integer(&rest)
      var field = Field(number: Int(tag >> 3))
      switch tag & 7 {
      case 0: field.integer = try integer(&rest)
      case 1:
        guard rest.count >= 8 else { throw Invalid(reason: "a short number") }
        for (index, byte) in rest.prefix(8).enumerated() {
          field.integer |= UInt64(byte) << (8 * UInt64(index))
        }
        rest = rest.dropFirst(8)
      case 2:
        let count = Int(try integer(&rest))
        guard rest.count >= count else { throw Invalid(reason: "a short field") }
        field.bytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
      default: throw Invalid(reason: "wire type \(tag & 7)")
      }
      fields.append(field)
    }
    return fields
  }

  private static func integers(_ bytes: [UInt8]) throws -> [UInt64] {
    var rest = bytes[...]
    var numbers: [UInt64] = []
    while !rest.isEmpty { numbers.append(try integer(&rest)) }
    return numbers
  }

  private static func integer(_ bytes: inout ArraySlice<UInt8>) throws -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { throw Invalid(reason: "a short integer") }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw Invalid(reason: "a long integer")
  }
}
