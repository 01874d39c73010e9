import CZlib

/// A decompressor of gzip files; the contents of all members are concatenated.
///
/// Zero padding may follow the last member; anything else is an error. Checksums and lengths are
/// verified at the end of each member.
///
/// Source: RFC 1952; zlib 1.2.13, "zlib.h".
final class GzipReader: Decompressor {
  private let file: OpenFile
  // Allocated, because the state of zlib contains a pointer to its stream.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  private var isFileAtEnd = false
  private var state = State.inMember
  private var failure: DatasetError?

  private enum State { case inMember, betweenMembers, inPadding }

  /// The number of bytes per read from the file.
  private static let inputBytes = 64 * 1024
  private static let magic: [UInt8] = [0x1F, 0x8B]
  private static let deflate: UInt8 = 8

  /// Returns whether the first bytes of a file are those of gzip.
  static func isGzip(_ first: [UInt8]) -> Bool { first.starts(with: magic + [deflate]) }

  /// Creates a decompressor that starts at the current position of a file.
  init(_ file: OpenFile) throws(DatasetError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(byteCount: Self.inputBytes, alignment: 16)
    self.file = file
    let code = cadastre_inflate_gzip_init(stream)
    guard code == Z_OK else { throw outOfMemory }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  /// The number of bytes that were read from the file and not decompressed yet.
  var unusedBytes: Int { Int(stream.pointee.avail_in) }

  /// Reads decompressed bytes into a buffer and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    if let failure { throw failure }
    do throws(DatasetError) {
      return try decompress(into: buffer)
    } catch {
      failure = error
      throw error
    }
  }

  private func decompress(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    guard buffer.count > 0 else { return 0 }
    let capacity = UInt32(clamping: buffer.count)
    stream.pointee.next_out = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_out = capacity
    while true {
      if stream.pointee.avail_in == 0, !isFileAtEnd { try fill() }
      guard state == .inMember else {
        guard try enterNextMember() else { return 0 }
        continue
      }
      let code = inflate(stream, Z_NO_FLUSH)
      let count = Int(capacity - stream.pointee.avail_out)
      switch code {
      case Z_OK, Z_BUF_ERROR:
        if count > 0 { return count }
        if stream.pointee.avail_in == 0, isFileAtEnd {
          throw error(.truncated(fileBytes: file.bytesRead))
        }
      case Z_STREAM_END:
        state = .betweenMembers
        if count > 0 { return count }
      case Z_MEM_ERROR: throw outOfMemory
      default:
        // Valid data before the error is returned first, for any size of the buffer.
        guard count > 0 else { throw dataError }
        failure = dataError
        return count
      }
    }
  }

  /// Skips padding, or moves to the next member; returns false at the end of the file.
  private func enterNextMember() throws(DatasetError) -> Bool {
    guard stream.pointee.avail_in > 0, let next = stream.pointee.next_in else { return false }
    if state == .betweenMembers, next.pointee == Self.magic[0] {
      inflateReset(stream)
      state = .inMember
      return true
    }
    guard next.pointee == 0 else { throw error(.trailingBytes(byteOffset: byteOffset)) }
    state = .inPadding
    stream.pointee.next_in = next + 1
    stream.pointee.avail_in -= 1
    return true
  }

  private func fill() throws(DatasetError) {
    let count = try file.read(into: input)
    stream.pointee.next_in = input.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_in = UInt32(count)
    isFileAtEnd = count == 0
  }

  // MARK: - Errors

  /// The offset in the file up to which data was decompressed.
  private var byteOffset: Int { file.bytesRead - unusedBytes }

  /// The error for the message of zlib.
  private var dataError: DatasetError {
    switch stream.pointee.msg.map({ String(cString: $0) }) {
    case "incorrect data check": error(.wrongChecksum(byteOffset: byteOffset))
    case "incorrect length check": error(.wrongLength(byteOffset: byteOffset))
    case let message: error(.corrupt(detail: message ?? "a dictionary", byteOffset: byteOffset))
    }
  }

  private var outOfMemory: DatasetError {
    DatasetError(path: file.path, problem: .unreadable(reason: "out of memory while decompressing"))
  }

  private func error(_ problem: GzipProblem) -> DatasetError {
    DatasetError(path: file.path, problem: .gzip(problem))
  }
}
