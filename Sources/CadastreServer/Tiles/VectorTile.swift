import CadastreModel

/// An encoder of one layer of a Mapbox Vector Tile.
///
/// Source: Mapbox Vector Tile Specification 2.1.
struct VectorTile {
  /// A value of an attribute.
  enum Attribute {
    case string(String)
    case double(Double)
    case integer(Int64)
    case bool(Bool)

    /// The value as a value of the model.
    var value: Value {
      switch self {
      case .string(let text): .string(text)
      case .double(let number): .double(number)
      case .integer(let number): .int(number)
      case .bool(let flag): .bool(flag)
      }
    }
  }

  /// A geometry in tile units.
  enum Shape {
    case points([(x: Int, y: Int)])
    case lines([[(x: Int, y: Int)]])
    /// Rings without the repeated first position; exterior rings are clockwise on the screen.
    case polygons([[(x: Int, y: Int)]])
  }

  private let name: String
  private var features: [UInt8] = []
  private var keys: [TextKey: Int] = [:]
  private var orderedKeys: [String] = []
  /// The index of each distinct value; values are compared by their bits.
  private var values: [Value: Int] = [:]
  private var orderedValues: [Attribute] = []

  /// Begins a layer.
  init(layer name: String) { self.name = name }

  /// Whether the layer has no features.
  var isEmpty: Bool { features.isEmpty }

  /// Adds a feature.
  mutating func add(_ shape: Shape, id: Int64, _ attributes: [(name: String, value: Attribute)]) {
    var tags: [UInt64] = []
    for (name, value) in attributes {
      let key = keys[TextKey(name)] ?? orderedKeys.count
      if key == orderedKeys.count {
        keys[TextKey(name)] = key
        orderedKeys.append(name)
      }
      let index = values[value.value] ?? orderedValues.count
      if index == orderedValues.count {
        values[value.value] = index
        orderedValues.append(value)
      }
      tags += [UInt64(key), UInt64(index)]
    }
    var feature = ProtocolBuffer()
    feature.add(1, number: UInt64(bitPattern: id))
    if !tags.isEmpty { feature.add(2, packed: tags) }
    let (type, commands) = Self.commands(shape)
    feature.add(3, number: type)
    feature.add(4, packed: commands)
    var layer = ProtocolBuffer()
    layer.add(2, feature.bytes)
    features += layer.bytes
  }

  /// The encoded tile; empty without features.
  var bytes: [UInt8] {
    guard !isEmpty else { return [] }
    var layer = ProtocolBuffer()
    layer.add(15, number: 2)
    layer.add(1, Array(name.utf8))
    layer.append(features)
    for key in orderedKeys { layer.add(3, Array(key.utf8)) }
    for value in orderedValues { layer.add(4, Self.encoded(value)) }
    layer.add(5, number: UInt64(TileAddress.side))
    var tile = ProtocolBuffer()
    tile.add(3, layer.bytes)
    return tile.bytes
  }

  private static func encoded(_ value: Attribute) -> [UInt8] {
    var buffer = ProtocolBuffer()
    switch value {
    case .string(let text): buffer.add(1, Array(text.utf8))
    case .double(let number): buffer.add(3, fraction: number)
    case .integer(let number): buffer.add(6, number: ProtocolBuffer.zigzag(number))
    case .bool(let value): buffer.add(7, number: value ? 1 : 0)
    }
    return buffer.bytes
  }

  private static func commands(_ shape: Shape) -> (type: UInt64, commands: [UInt64]) {
    var commands: [UInt64] = []
    var (x, y) = (0, 0)
    func move(_ positions: some Collection<(x: Int, y: Int)>) {
      for position in positions {
        commands.append(ProtocolBuffer.zigzag(Int64(position.x - x)))
        commands.append(ProtocolBuffer.zigzag(Int64(position.y - y)))
        (x, y) = position
      }
    }
    func command(_ id: UInt64, _ count: Int) { commands.append(id | UInt64(count) << 3) }
    func path(_ positions: [(x: Int, y: Int)]) {
      command(1, 1)
      move(positions.prefix(1))
      command(2, positions.count - 1)
      move(positions.dropFirst())
    }
    switch shape {
    case .points(let points):
      command(1, points.count)
      move(points)
      return (1, commands)
    case .lines(let lines):
      for line in lines { path(line) }
      return (2, commands)
    case .polygons(let rings):
      for ring in rings {
        path(ring)
        command(7, 1)
      }
      return (3, commands)
    }
  }
}

/// An encoder of protocol buffers.
///
/// Source: protobuf.dev, "Encoding".
struct ProtocolBuffer {
  private(set) var bytes: [UInt8] = []

  /// Returns the zigzag encoding of a signed number.
  static func zigzag(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: (number << 1) ^ (number >> 63))
  }

  mutating func append(_ more: [UInt8]) { bytes += more }

  private mutating func append(variable number: UInt64) {
    var number = number
    while number >= 0x80 {
      bytes.append(UInt8(number & 0x7F) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(number))
  }

  /// Adds a field with a number.
  mutating func add(_ field: UInt64, number: UInt64) {
    append(variable: field << 3)
    append(variable: number)
  }

  /// Adds a field with a floating-point number.
  mutating func add(_ field: UInt64, fraction number: Double) {
    append(variable: field << 3 | 1)
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
  }

  /// Adds a field with bytes.
  mutating func add(_ field: UInt64, _ content: [UInt8]) {
    append(variable: field << 3 | 2)
    append(variable: UInt64(content.count))
    bytes += content
  }

  /// Adds a field with several numbers.
  mutating func add(_ field: UInt64, packed numbers: [UInt64]) {
    var inner = ProtocolBuffer()
    for number in numbers { inner.append(variable: number) }
    add(field, inner.bytes)
  }
}
