import CZlib

/// A compressor of a file.
protocol Compressor: AnyObject {
  /// Compresses bytes and returns the available output; with `isLast` all of it.
  func compressed(_ bytes: [UInt8], isLast: Bool) -> [UInt8]
}

/// A compressor of bytes by deflate: a stream of RFC 1951, or one member of a gzip file.
///
/// Source: RFC 1951, RFC 1952; zlib 1.2.13, "zlib.h".
final class Deflater: Compressor {
  // Allocated, because the state of zlib contains a pointer to its stream.
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: 1 << 16)

  /// The largest window, plus 16 for the header and trailer of gzip.
  static let gzipBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 8

  /// Creates a compressor; nil if memory is exhausted.
  ///
  /// - Parameter windowBits: The size of the window and the format, see "zlib.h".
  init?(windowBits: Int32) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, Self.memoryLevel,
      Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  func compressed(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    var result: [UInt8] = []
    var input = bytes
    input.withUnsafeMutableBufferPointer { input in
      stream.pointee.next_in = input.baseAddress
      stream.pointee.avail_in = UInt32(input.count)
      repeat {
        output.withUnsafeMutableBufferPointer { output in
          stream.pointee.next_out = output.baseAddress
          stream.pointee.avail_out = UInt32(output.count)
          deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
        }
        result += output.dropLast(Int(stream.pointee.avail_out))
      } while stream.pointee.avail_out == 0
    }
    return result
  }
}

// Not Sendable: every call changes the state of the compressor.
@available(*, unavailable)
extension Deflater: Sendable {}
