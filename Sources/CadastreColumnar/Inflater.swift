import CZlib

/// A decompressor of the formats of zlib, for input and output in pieces.
///
/// Source: RFC 1950, RFC 1951, RFC 1952; zlib 1.2.13, "zlib.h".
package final class Inflater {
  /// The formats of compressed data.
  package enum Format {
    /// DEFLATE data without header and checksum.
    case deflate
    /// A member of a gzip file.
    case gzip
    /// gzip or zlib, as the header says.
    case gzipOrZlib

    /// The size of the largest window and the format, as `inflateInit2` takes them.
    fileprivate var windowBits: Int32 {
      switch self {
      case .deflate: -15
      case .gzip: 15 + 16
      case .gzipOrZlib: 15 + 32
      }
    }
  }

  /// The state of a stream after a step.
  package enum Status: Hashable, Sendable {
    /// The stream continues when there is more input, or more space for output.
    case incomplete
    /// The stream is complete, and its checksum is correct.
    case complete
    /// Memory is exhausted.
    case outOfMemory
    /// The data is invalid; the message of zlib, nil if the data needs a preset dictionary.
    case invalid(message: String?)
  }

  // Allocated, because the state of zlib contains a pointer to its stream.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Creates a decompressor; nil if memory is exhausted.
  package init?(_ format: Format) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, format.windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// The input that is not decompressed yet, at most 4 GiB; its memory must outlive the next steps.
  package var input: UnsafeRawBufferPointer {
    get { UnsafeRawBufferPointer(start: stream.pointee.next_in, count: unusedBytes) }
    set {
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: newValue.assumingMemoryBound(to: UInt8.self).baseAddress)
      stream.pointee.avail_in = UInt32(clamping: newValue.count)
    }
  }

  /// The number of bytes of ``input``.
  package var unusedBytes: Int { Int(stream.pointee.avail_in) }

  /// Decompresses input until it is used, the output is full, or the stream ends.
  ///
  /// - Parameter output: Receives the decompressed bytes.
  /// - Returns: The number of bytes that were written, also before invalid data, and the status.
  package func decompress(
    into output: UnsafeMutableRawBufferPointer
  ) -> (count: Int, status: Status) {
    let capacity = UInt32(clamping: output.count)
    // zlib needs an address even for no bytes.
    var spare: UInt8 = 0
    let code = withUnsafeMutablePointer(to: &spare) { spare in
      stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress ?? spare
      stream.pointee.avail_out = capacity
      return inflate(stream, Z_NO_FLUSH)
    }
    let status: Status =
      switch code {
      case Z_OK, Z_BUF_ERROR: .incomplete
      case Z_STREAM_END: .complete
      case Z_MEM_ERROR: .outOfMemory
      default: .invalid(message: stream.pointee.msg.map { String(cString: $0) })
      }
    return (Int(capacity - stream.pointee.avail_out), status)
  }

  /// Begins a new stream of the same format with the rest of ``input``.
  package func reset() { inflateReset(stream) }
}

// Not Sendable: every call changes the state of the stream.
@available(*, unavailable)
extension Inflater: Sendable {}
