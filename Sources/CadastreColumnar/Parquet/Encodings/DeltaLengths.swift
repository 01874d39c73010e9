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
  ) throws(ColumnarError) -> ValueDecoder {
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
