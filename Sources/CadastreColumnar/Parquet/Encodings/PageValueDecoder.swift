/// A decoder of the values of a page.
enum PageValueDecoder {
  /// Values of fixed size in sequence.
  case plain(ByteReader)
  /// Booleans of a bit each; the index of the next bit.
  case bits(ByteReader, bit: Int)
  /// Byte arrays, each after its size.
  case sized(ByteReader)
  case dictionary(HybridDecoder)
  case booleans(HybridDecoder)
  case delta(DeltaDecoder)
  /// Byte arrays whose sizes precede the bytes.
  case lengths(DeltaLengths)
  /// Byte arrays that were joined from prefixes and suffixes when the page was opened.
  case ranges(storage: [UInt8], starts: [Int32], lengths: [Int32], next: Int)
  /// No values.
  case nothing

  /// The maximum number of values of a page whose sizes are decoded at once.
  private static let maximumSizes = 1 << 24

  /// Opens the values of a page.
  ///
  /// - Parameters:
  ///   - encoding: The encoding.
  ///   - input: The bytes of the values.
  ///   - leaf: The column.
  ///   - count: The maximum number of values.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  init(
    _ encoding: Int, _ input: ByteReader, _ leaf: LeafColumn, atMost count: Int
  ) throws(ColumnarError) {
    var input = input
    switch encoding {
    case 0:
      switch leaf.type {
      case .boolean: self = .bits(input, bit: input.offset * 8)
      case .byteArray: self = .sized(input)
      default: self = .plain(input)
      }
    case 2, 8:
      guard input.remaining > 0 else {
        self = .nothing
        return
      }
      let width = Int(try input.byte())
      self = .dictionary(try HybridDecoder(input, width: width))
    case 3 where leaf.type == .boolean:
      let size = Int(try input.integer(UInt32.self))
      let range = try input.skip(size, "Booleans")
      self = .booleans(try HybridDecoder(ByteReader(input.bytes, range), width: 1))
    case 5 where leaf.type == .int32 || leaf.type == .int64:
      self = .delta(try DeltaDecoder(input, atMost: count, is32Bit: leaf.type == .int32))
    case 6 where leaf.type == .byteArray:
      self = .lengths(try DeltaLengths(input, atMost: min(count, Self.maximumSizes)))
    case 7 where leaf.type == .byteArray || leaf.type == .fixedBytes:
      self = try DeltaByteArrays.decoder(input, leaf, atMost: min(count, Self.maximumSizes))
    case 9:
      guard let size = leaf.valueBytes, leaf.type != .int96 else { fallthrough }
      self = .plain(try Self.joined(input, size))
    default:
      throw .unsupported("encoding \(encoding) of values of type \(leaf.type)")
    }
  }

  /// Decodes BYTE_STREAM_SPLIT, which groups the bytes of the values by their significance.
  private static func joined(_ input: ByteReader, _ size: Int) throws(ColumnarError) -> ByteReader {
    guard input.remaining % size == 0 else {
      throw input.corrupt("\(input.remaining) bytes", expected: "a multiple of \(size)")
    }
    let count = input.remaining / size
    let start = input.offset
    let bytes = [UInt8](unsafeUninitializedCapacity: count * size) { output, filled in
      input.bytes.withUnsafeBufferPointer { source in
        for byte in 0..<size {
          let part = start + byte * count
          for value in 0..<count { output[value * size + byte] = source[part + value] }
        }
      }
      filled = count * size
    }
    return ByteReader(bytes)
  }

  /// Decodes values and appends them to a batch.
  ///
  /// - Parameters:
  ///   - count: The number of values.
  ///   - leaf: The column.
  ///   - batch: Receives the values.
  /// - Throws: ``ColumnarError`` if the page has fewer values or they are invalid.
  mutating func decode(
    _ count: Int, _ leaf: LeafColumn, into batch: inout LeafBatch
  ) throws(ColumnarError) {
    guard count > 0 else { return }
    switch self {
    case .plain(var input):
      try Self.decodePlain(count, leaf, &input, &batch)
      self = .plain(input)
    case .bits(let input, let bit):
      guard bit + count <= input.end * 8 else {
        throw input.corrupt("fewer bits", expected: "\(count) Booleans")
      }
      for index in bit..<bit + count {
        batch.words.append(Int64(input.bytes[index >> 3] >> UInt8(index & 7) & 1))
      }
      self = .bits(input, bit: bit + count)
    case .sized(var input):
      try Self.decodeSized(count, &input, &batch)
      self = .sized(input)
    case .dictionary(var decoder):
      self = .nothing
      batch.isIndexed = true
      try decoder.decode(count) { value, times in
        if times == 1 {
          batch.indexes.append(value)
        } else {
          batch.indexes.append(contentsOf: repeatElement(value, count: times))
        }
      }
      self = .dictionary(decoder)
    case .booleans(var decoder):
      try decoder.decode(count) { value, times in
        batch.words.append(contentsOf: repeatElement(Int64(value), count: times))
      }
      self = .booleans(decoder)
    case .delta(var decoder):
      self = .nothing
      try decoder.decode(count, into: &batch.words)
      self = .delta(decoder)
    case .lengths(var decoder):
      self = .nothing
      try decoder.decode(count, into: &batch)
      self = .lengths(decoder)
    case .ranges(let storage, let starts, let lengths, let next):
      guard count <= starts.count - next else {
        throw .corrupt(found: "\(starts.count) values", expected: "\(next + count) values")
      }
      batch.storage = storage
      batch.starts += starts[next..<next + count]
      batch.lengths += lengths[next..<next + count]
      self = .ranges(storage: storage, starts: starts, lengths: lengths, next: next + count)
    case .nothing:
      throw .corrupt(found: "no values", expected: "\(count) values")
    }
  }

  private static func decodePlain(
    _ count: Int, _ leaf: LeafColumn, _ input: inout ByteReader, _ batch: inout LeafBatch
  ) throws(ColumnarError) {
    guard let size = leaf.valueBytes else {
      throw .unsupported("plain values of type \(leaf.type)")
    }
    guard count <= input.remaining / size else {
      throw input.corrupt("\(input.remaining) bytes", expected: "\(count) values of \(size) bytes")
    }
    let start = input.offset
    input.offset += count * size
    switch leaf.type {
    case .int32:
      input.bytes.withUnsafeBytes { bytes in
        for index in 0..<count {
          batch.words.append(
            Int64(bytes.loadUnaligned(fromByteOffset: start + 4 * index, as: Int32.self)))
        }
      }
    case .float:
      input.bytes.withUnsafeBytes { bytes in
        for index in 0..<count {
          batch.words.append(
            Int64(bytes.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self)))
        }
      }
    case .int64, .double:
      input.bytes.withUnsafeBytes { bytes in
        for index in 0..<count {
          batch.words.append(
            bytes.loadUnaligned(fromByteOffset: start + 8 * index, as: Int64.self))
        }
      }
    default:
      batch.storage = input.bytes
      for index in 0..<count {
        batch.starts.append(Int32(start + index * size))
        batch.lengths.append(Int32(size))
      }
    }
  }

  private static func decodeSized(
    _ count: Int, _ input: inout ByteReader, _ batch: inout LeafBatch
  ) throws(ColumnarError) {
    batch.storage = input.bytes
    for _ in 0..<count {
      let size = Int(try input.integer(UInt32.self))
      let range = try input.skip(size, "a value")
      batch.starts.append(Int32(range.lowerBound))
      batch.lengths.append(Int32(size))
    }
  }
}
