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

/// A compressor of bytes into a zip archive with one file, such as KMZ.
///
/// Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", 6.3.10, section 4.3.
final class ZipWriter: Compressor {
  private let name: [UInt8]
  private let deflater: Deflater
  private var checksum: UInt = 0
  private var hasBegun = false
  private var originalBytes = 0
  private var compressedBytes = 0

  /// The size of a local header before the name.
  private static let headerBytes = 30
  /// Flags: the sizes follow the content, and the name is UTF-8.
  private static let flags: UInt16 = 1 << 3 | 1 << 11
  /// The version needed to extract: 2.0 for deflated files.
  private static let version: UInt16 = 20
  /// The first day of DOS, so that equal contents give equal archives.
  private static let date: UInt16 = 1 << 5 | 1

  /// Creates an archive with a file; nil if memory is exhausted.
  init?(fileName: String) {
    guard let deflater = Deflater(windowBits: -15) else { return nil }
    self.deflater = deflater
    name = Array(fileName.utf8)
  }

  func compressed(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    var result: [UInt8] = []
    if !hasBegun {
      hasBegun = true
      result = Self.words(0x0403_4B50) + Self.halves(Self.version) + fields + Self.halves(0) + name
    }
    checksum = bytes.withUnsafeBufferPointer {
      crc32(checksum, $0.baseAddress, UInt32($0.count))
    }
    originalBytes += bytes.count
    let content = deflater.compressed(bytes, isLast: isLast)
    compressedBytes += content.count
    result += content
    return isLast ? result + end : result
  }

  /// The fields that the local header and the directory have in common, up to the length of the name.
  private var fields: [UInt8] {
    Self.halves(Self.flags, 8, 0, Self.date) + sizes + Self.halves(UInt16(name.count))
  }

  private var sizes: [UInt8] {
    Self.words(
      UInt32(truncatingIfNeeded: checksum), UInt32(truncatingIfNeeded: compressedBytes),
      UInt32(truncatingIfNeeded: originalBytes))
  }

  /// The bytes after the content: its sizes, the directory and the end of the archive.
  private var end: [UInt8] {
    let descriptor = Self.words(0x0807_4B50) + sizes
    let directory =
      Self.words(0x0201_4B50) + Self.halves(Self.version, Self.version) + fields
      // No extra field, comment, disk or attributes, and the header at the start.
      + Self.halves(0, 0, 0, 0) + Self.words(0, 0) + name
    let start = Self.headerBytes + name.count + compressedBytes + descriptor.count
    return descriptor + directory + Self.words(0x0605_4B50)
      + Self.halves(0, 0, 1, 1)
      + Self.words(UInt32(directory.count), UInt32(truncatingIfNeeded: start))
      + Self.halves(0)
  }

  private static func words(_ words: UInt32...) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  private static func halves(_ halves: UInt16...) -> [UInt8] {
    halves.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }
}

// Not Sendable: every call changes the state of the compressor.
@available(*, unavailable)
extension ZipWriter: Sendable {}
