import CZlib

/// Packs bytes into one member of a gzip file.
///
/// Source: RFC 1952; zlib 1.2.13, "zlib.h", for the calls.
final class GzipWriter {
  // zlib's state points back at its stream, so it stays where it is.
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: 1 << 16)

  /// The largest window, and 16 for gzip's header and trailer.
  private static let windowBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 8

  /// Starts a member; nil without memory.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Self.windowBits, Self.memoryLevel,
      Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// The packed form of some more bytes, and of the end if they are the last.
  func packed(_ bytes: [UInt8], isLast: Bool = false) -> [UInt8] {
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

// Not Sendable: every piece moves the state of the packing.
@available(*, unavailable)
extension GzipWriter: Sendable {}
