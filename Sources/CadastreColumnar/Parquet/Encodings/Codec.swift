import CZlib
import CZstd

/// A compression codec of Parquet pages; the raw values are the codes of the format.
enum Codec: Int {
  case none = 0
  case snappy = 1
  case gzip = 2
  case brotli = 4
  case zstd = 6
  case lz4 = 7
  /// LZ4 blocks in the framing of Hadoop: two sizes precede each block.
  case lz4Hadoop = 5

  /// The maximum size of a decompressed page, in bytes.
  static let maximumBytes = 256 << 20

  /// The maximum ratio of the decompressed to the compressed size; nil if the format has none.
  private var maximumRatio: Int? {
    switch self {
    case .none: 1
    case .snappy: 22
    case .lz4, .lz4Hadoop: 256
    case .gzip: 1032
    case .brotli, .zstd: nil
    }
  }

  /// Returns the codec with a number.
  static func number(_ number: Int) throws(ColumnarError) -> Codec {
    guard let codec = Codec(rawValue: number) else {
      let name = number == 3 ? "LZO" : "codec \(number)"
      throw .unsupported("the data is compressed with \(name)")
    }
    return codec
  }

  /// Decompresses the bytes of a page.
  ///
  /// - Parameters:
  ///   - input: The compressed bytes.
  ///   - count: The decompressed size in the header of the page, in bytes.
  /// - Returns: Exactly `count` bytes.
  /// - Throws: ``ColumnarError`` if the data is corrupt or too large, or a library is not installed.
  func decompress(_ input: ByteReader, to count: Int) throws(ColumnarError) -> [UInt8] {
    guard count <= Self.maximumBytes else {
      throw input.corrupt("a page of \(count) bytes", expected: "at most \(Self.maximumBytes)")
    }
    if let maximumRatio, count > maximumRatio * input.remaining + 64 {
      throw input.corrupt(
        "\(input.remaining) bytes for a page of \(count)",
        expected: "a ratio of at most \(maximumRatio)")
    }
    switch self {
    case .none:
      guard input.remaining == count else {
        throw input.corrupt("\(input.remaining) bytes", expected: "\(count) bytes")
      }
      return Array(input.bytes[input.offset..<input.end])
    case .snappy: return try Snappy.decompress(input, to: count)
    case .lz4: return try LZ4Block.decompress(input, to: count)
    case .lz4Hadoop: return try Self.hadoop(input, to: count)
    case .gzip: return try Self.inflate(input, to: count)
    case .brotli: return try Self.brotli(input, to: count)
    case .zstd: return try Self.zstd(input, to: count)
    }
  }

  /// Decompresses LZ4 blocks in the framing of Hadoop, or a single block without it.
  private static func hadoop(_ input: ByteReader, to count: Int) throws(ColumnarError) -> [UInt8] {
    var blocks = input
    var output: [UInt8] = []
    while blocks.remaining >= 8 {
      let raw = Int(try blocks.integer(UInt32.self).byteSwapped)
      let size = Int(try blocks.integer(UInt32.self).byteSwapped)
      guard raw <= count - output.count, size <= blocks.remaining else { break }
      let range = try blocks.skip(size, "a block")
      guard let part = try? LZ4Block.decompress(ByteReader(input.bytes, range), to: raw) else {
        break
      }
      output += part
    }
    if output.count == count, blocks.remaining == 0 { return output }
    return try LZ4Block.decompress(input, to: count)
  }

  private static func inflate(_ input: ByteReader, to count: Int) throws(ColumnarError) -> [UInt8] {
    var produced: Int?
    let output = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      produced = input.bytes.withUnsafeBytes { bytes in
        inflate(
          UnsafeRawBufferPointer(rebasing: bytes[input.offset..<input.end]),
          into: UnsafeMutableRawBufferPointer(buffer))
      }
      filled = produced ?? 0
    }
    guard produced == count else {
      throw input.corrupt(
        produced.map { "\($0) bytes of gzip data" } ?? "invalid gzip data",
        expected: "gzip data of \(count) bytes")
    }
    return output
  }

  /// Decompresses the members of gzip data and returns the number of bytes; nil for invalid data.
  private static func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard let inflater = Inflater(.gzipOrZlib) else { return nil }
    inflater.input = input
    var total = 0
    while true {
      let (count, status) = inflater.decompress(
        into: UnsafeMutableRawBufferPointer(rebasing: output[total...]))
      guard status == .complete else { return nil }
      total += count
      guard inflater.unusedBytes > 0, total < output.count else { return total }
      inflater.reset()
    }
  }

  private static func brotli(_ input: ByteReader, to count: Int) throws(ColumnarError) -> [UInt8] {
    guard
      let output = try BrotliLibrary.decompress(
        input.bytes[input.offset..<input.end], to: count)
    else { throw input.corrupt("invalid Brotli data", expected: "Brotli data of \(count) bytes") }
    return output
  }

  private static func zstd(_ input: ByteReader, to count: Int) throws(ColumnarError) -> [UInt8] {
    var code = 0
    let output = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      code = input.bytes.withUnsafeBytes { bytes in
        ZSTD_decompress(
          buffer.baseAddress, count, bytes.baseAddress?.advanced(by: input.offset), input.remaining)
      }
      filled = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0, code == count else {
      throw input.corrupt(
        ZSTD_isError(code) == 0 ? "\(code) bytes" : String(cString: ZSTD_getErrorName(code)),
        expected: "Zstandard data of \(count) bytes")
    }
    return output
  }

  private static let compressionLevel: Int32 = 3

  /// Compresses bytes with Zstandard.
  ///
  /// - Throws: ``ColumnarError`` if memory is exhausted.
  static func zstd(_ bytes: [UInt8]) throws(ColumnarError) -> [UInt8] {
    let capacity = ZSTD_compressBound(bytes.count)
    var code = 0
    let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      code = ZSTD_compress(buffer.baseAddress, capacity, bytes, bytes.count, compressionLevel)
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0 else {
      throw ColumnarError(.notWritable(String(cString: ZSTD_getErrorName(code))))
    }
    return output
  }
}

/// The versions of the compression libraries.
package enum CompressionLibraries {
  /// The version of zlib: `1.2.13`.
  package static var zlibVersion: String { String(cString: CZlib.zlibVersion()) }
  /// The version of zstd: `1.5.4`.
  package static var zstdVersion: String { String(cString: ZSTD_versionString()) }
}
