/// A decoder of DELTA_BINARY_PACKED integers.
///
/// Source: Apache parquet-format, "Encodings.md", Delta encoding.
struct DeltaDecoder {
  /// The number of values in the stream.
  let total: Int
  private var input: ByteReader
  private let miniblocks: Int
  private let valuesPerMiniblock: Int
  private var produced = 0
  private var previous: Int64
  private var minimumDelta: Int64 = 0
  private var widths: [UInt8] = []
  private var miniblock = 0
  /// The number of values left in the current miniblock.
  private var left = 0
  private var width = 0
  private var bit = 0
  private let is32Bit: Bool

  private static let maximumBlock = 1 << 20

  /// Creates a decoder and reads the header of the stream.
  ///
  /// - Parameters:
  ///   - input: The encoded bytes.
  ///   - maximum: The maximum number of values.
  ///   - is32Bit: Whether sums wrap at 32 bits.
  /// - Throws: ``ColumnarError`` if the header is invalid.
  init(_ input: ByteReader, atMost maximum: Int, is32Bit: Bool = false) throws(ColumnarError) {
    var input = input
    let block = try input.count(atMost: Self.maximumBlock, "values in a block")
    miniblocks = try input.count(atMost: Self.maximumBlock, "parts of a block")
    total = try input.count(atMost: maximum, "values")
    previous = try input.zigzag()
    guard miniblocks > 0, block > 0, block % miniblocks == 0, (block / miniblocks) % 8 == 0 else {
      throw input.corrupt(
        "blocks of \(block) values in \(miniblocks) parts", expected: "parts of 32 values or more")
    }
    valuesPerMiniblock = block / miniblocks
    miniblock = miniblocks
    self.input = input
    self.is32Bit = is32Bit
  }

  /// The input after the last value; valid when all values are decoded.
  var rest: ByteReader { input }

  /// Decodes values and appends them.
  mutating func decode(_ count: Int, into values: inout [Int64]) throws(ColumnarError) {
    guard count <= total - produced else {
      throw input.corrupt("\(total - produced) values", expected: "\(count) values")
    }
    for _ in 0..<count {
      if produced > 0 {
        if left == 0 { try readMiniblock() }
        let delta = minimumDelta &+ Int64(bitPattern: nextBits())
        previous = previous &+ delta
        left -= 1
      }
      if is32Bit { previous = Int64(Int32(truncatingIfNeeded: previous)) }
      produced += 1
      values.append(previous)
    }
  }

  private mutating func readMiniblock() throws(ColumnarError) {
    if miniblock == miniblocks {
      minimumDelta = try input.zigzag()
      widths = Array(input.bytes[try input.skip(miniblocks, "bit widths")])
      miniblock = 0
    }
    width = Int(widths[miniblock])
    guard width <= 64 else {
      throw input.corrupt("values of \(width) bits", expected: "at most 64 bits")
    }
    let range = try input.skip(width * (valuesPerMiniblock / 8), "packed values")
    bit = range.lowerBound * 8
    left = valuesPerMiniblock
    miniblock += 1
  }

  private mutating func nextBits() -> UInt64 {
    var result: UInt64 = 0
    var filled = 0
    while filled < width {
      let available = 8 - (bit & 7)
      let take = Swift.min(available, width - filled)
      let bits = UInt64(input.bytes[bit >> 3] >> UInt8(bit & 7)) & ((1 << UInt64(take)) - 1)
      result |= bits << UInt64(filled)
      filled += take
      bit += take
    }
    return result
  }
}
