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

/// A decoder of DELTA_LENGTH_BYTE_ARRAY: all sizes, followed by all bytes.
struct DeltaLengths {
  private let sizes: [Int64]
  private var input: ByteReader
  private var next = 0

  /// Opens the values and decodes their sizes.
  ///
  /// - Parameters:
  ///   - input: The encoded bytes.
  ///   - maximum: The maximum number of values.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  init(_ input: ByteReader, atMost maximum: Int) throws(ColumnarError) {
    var decoder = try DeltaDecoder(input, atMost: maximum, is32Bit: true)
    var sizes: [Int64] = []
    try decoder.decode(decoder.total, into: &sizes)
    self.sizes = sizes
    self.input = decoder.rest
  }

  /// The number of values.
  var total: Int { sizes.count }

  /// Returns the range of the next value in the bytes.
  mutating func range() throws(ColumnarError) -> Range<Int> {
    guard next < sizes.count, sizes[next] >= 0 else {
      throw input.corrupt(
        next < sizes.count ? "a value of \(sizes[next]) bytes" : "\(sizes.count) values",
        expected: "another value")
    }
    next += 1
    return try input.skip(Int(sizes[next - 1]), "a value")
  }

  /// The bytes of the values.
  var bytes: [UInt8] { input.bytes }

  /// Decodes values and appends them to a batch.
  mutating func decode(_ count: Int, into batch: inout LeafBatch) throws(ColumnarError) {
    batch.storage = input.bytes
    for _ in 0..<count {
      let range = try range()
      batch.starts.append(Int32(range.lowerBound))
      batch.lengths.append(Int32(range.count))
    }
  }
}

/// DELTA_BYTE_ARRAY: each value has a prefix of the previous value, and a suffix.
enum DeltaByteArrays {
  /// The maximum size of the joined values of a page, in bytes.
  private static let maximumBytes = 256 << 20

  /// Joins all values of a page.
  ///
  /// - Parameters:
  ///   - input: The encoded bytes.
  ///   - leaf: The column.
  ///   - maximum: The maximum number of values.
  /// - Returns: A decoder of the joined values.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  static func decoder(
    _ input: ByteReader, _ leaf: LeafColumn, atMost maximum: Int
  ) throws(ColumnarError) -> PageValueDecoder {
    var decoder = try DeltaDecoder(input, atMost: maximum, is32Bit: true)
    var prefixes: [Int64] = []
    try decoder.decode(decoder.total, into: &prefixes)
    var suffixes = try DeltaLengths(decoder.rest, atMost: maximum)
    guard suffixes.total == prefixes.count else {
      throw input.corrupt("\(suffixes.total) suffixes", expected: "\(prefixes.count)")
    }
    var storage: [UInt8] = []
    var starts: [Int32] = []
    var lengths: [Int32] = []
    var previous = 0..<0
    for prefix in prefixes {
      let suffix = try suffixes.range()
      guard prefix >= 0, prefix <= previous.count else {
        throw input.corrupt("a prefix of \(prefix) bytes", expected: "at most \(previous.count)")
      }
      let length = Int(prefix) + suffix.count
      guard length <= maximumBytes - storage.count else {
        throw input.corrupt("more bytes", expected: "at most \(maximumBytes) bytes in a page")
      }
      guard leaf.type != .fixedBytes || length == leaf.typeLength else {
        throw input.corrupt("a value of \(length) bytes", expected: "\(leaf.typeLength) bytes")
      }
      let start = storage.count
      storage.append(contentsOf: storage[previous.lowerBound..<previous.lowerBound + Int(prefix)])
      storage.append(contentsOf: suffixes.bytes[suffix])
      starts.append(Int32(start))
      lengths.append(Int32(length))
      previous = start..<storage.count
    }
    return .ranges(storage: storage, starts: starts, lengths: lengths, next: 0)
  }
}
