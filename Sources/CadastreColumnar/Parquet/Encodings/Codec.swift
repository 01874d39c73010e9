import CZlib
import CZstd

/// A compression of pages; the raw values are those of the format.
enum Codec: Int {
  case none = 0
  case snappy = 1
  case gzip = 2
  case zstd = 6
  case lz4 = 7
  /// LZ4 blocks with the sizes of Hadoop in front.
  case lz4Hadoop = 5

  /// The maximum size of a decompressed page, in bytes.
  static let maximumBytes = 256 << 20

  /// The maximum ratio of the sizes; nil if the format has none.
  private var maximumRatio: Int? {
    switch self {
    case .none: 1
    case .snappy: 22
    case .lz4, .lz4Hadoop: 256
    case .gzip: 1032
    case .zstd: nil
    }
  }

  /// Returns the codec with a number.
  static func number(_ number: Int) throws(ColumnarError) -> Codec {
    guard let codec = Codec(rawValue: number) else {
      let names = [3: "LZO", 4: "Brotli"]
      throw .unsupported("the data is compressed with \(names[number] ?? "codec \(number)")")
    }
    return codec
  }

  /// Decompresses bytes of a known decompressed size.
  ///
  /// - Parameters:
  ///   - input: The compressed bytes.
  ///   - count: The decompressed size, in bytes.
  /// - Returns: Exactly `count` bytes.
  /// - Throws: ``ColumnarError`` if the data is corrupt or too large.
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
    case .zstd: return try Self.zstd(input, to: count)
    }
  }

  /// Decompresses blocks that follow their two sizes, or one block alone.
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
    var produced = 0
    let output = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      produced = input.bytes.withUnsafeBufferPointer { bytes in
        inflate(UnsafeBufferPointer(rebasing: bytes[input.offset..<input.end]), into: buffer)
      }
      filled = max(produced, 0)
    }
    guard produced == count else {
      throw input.corrupt(
        produced < 0 ? "invalid gzip data" : "\(produced) bytes of gzip data",
        expected: "gzip data of \(count) bytes")
    }
    return output
  }

  /// Returns the number of decompressed bytes; -1 for invalid data.
  private static func inflate(
    _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var stream = z_stream()
    guard cadastre_inflate_any_init(&stream) == Z_OK else { return -1 }
    defer { inflateEnd(&stream) }
    stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    stream.avail_in = UInt32(clamping: input.count)
    // zlib needs an address even for no bytes.
    var spare: UInt8 = 0
    return withUnsafeMutablePointer(to: &spare) { spare in
      stream.next_out = output.baseAddress ?? spare
      stream.avail_out = UInt32(clamping: output.count)
      while true {
        let code = zlibInflate(&stream)
        guard code == Z_STREAM_END else { return -1 }
        // Several members may follow each other.
        guard stream.avail_in > 0, stream.avail_out > 0 else {
          return output.count - Int(stream.avail_out)
        }
        guard inflateReset(&stream) == Z_OK else { return -1 }
      }
    }
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
}

private func zlibInflate(_ stream: inout z_stream) -> Int32 { inflate(&stream, Z_FINISH) }

/// The versions of the compression libraries.
package enum CompressionLibraries {
  /// The version of zlib: `1.2.13`.
  package static var zlibVersion: String { String(cString: CZlib.zlibVersion()) }
  /// The version of zstd: `1.5.4`.
  package static var zstdVersion: String { String(cString: ZSTD_versionString()) }
}
