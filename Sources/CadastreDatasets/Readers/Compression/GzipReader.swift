import CZlib

/// Unpacks the members of a gzip file, one after the other, as if their contents were one file.
///
/// Zeros may follow the last member, as tapes leave them; anything else is an error. Checksums and
/// lengths are compared when the end of a member is read.
///
/// Source: RFC 1952; zlib 1.2.13, "zlib.h", for the calls.
final class GzipReader {
  private let file: OpenFile
  // zlib's state points back at its stream, so both stay where they are.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  private var isFileAtEnd = false
  private var place = Place.inMember
  private var failure: DatasetError?

  private enum Place { case inMember, betweenMembers, inPadding }

  /// How many bytes are read from the file at a time.
  private static let inputBytes = 64 * 1024
  private static let magic: [UInt8] = [0x1F, 0x8B]
  private static let deflate: UInt8 = 8

  /// Whether a file with these first bytes is gzipped.
  static func isGzip(_ first: [UInt8]) -> Bool { first.starts(with: magic + [deflate]) }

  /// Unpacks a file from where it is read next.
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

  /// Bytes that were read from the file and are not unpacked yet.
  var unusedBytes: Int { Int(stream.pointee.avail_in) }

  /// Fills a buffer as far as there is content; 0 is the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    if let failure { throw failure }
    do throws(DatasetError) {
      return try unpack(into: buffer)
    } catch {
      failure = error
      throw error
    }
  }

  private func unpack(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    guard buffer.count > 0 else { return 0 }
    let room = UInt32(clamping: buffer.count)
    stream.pointee.next_out = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_out = room
    while true {
      if stream.pointee.avail_in == 0, !isFileAtEnd { try fill() }
      guard place == .inMember else {
        guard try enterNextMember() else { return 0 }
        continue
      }
      let code = inflate(stream, Z_NO_FLUSH)
      let unpacked = Int(room - stream.pointee.avail_out)
      switch code {
      case Z_OK, Z_BUF_ERROR:
        if unpacked > 0 { return unpacked }
        if stream.pointee.avail_in == 0, isFileAtEnd {
          throw error(.truncated(fileBytes: file.bytesRead))
        }
      case Z_STREAM_END:
        place = .betweenMembers
        if unpacked > 0 { return unpacked }
      case Z_MEM_ERROR: throw outOfMemory
      default:
        // What was sound before the damage comes first, however much is asked for at a time.
        guard unpacked > 0 else { throw dataError }
        failure = dataError
        return unpacked
      }
    }
  }

  /// Steps over padding to the start of another member; false at the end of the file.
  private func enterNextMember() throws(DatasetError) -> Bool {
    guard stream.pointee.avail_in > 0, let next = stream.pointee.next_in else { return false }
    if place == .betweenMembers, next.pointee == Self.magic[0] {
      inflateReset(stream)
      place = .inMember
      return true
    }
    guard next.pointee == 0 else { throw error(.trailingBytes(byteOffset: byteOffset)) }
    place = .inPadding
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

  /// How far the file is unpacked.
  private var byteOffset: Int { file.bytesRead - unusedBytes }

  /// The problem in zlib's words, two of which are told apart.
  private var dataError: DatasetError {
    switch stream.pointee.msg.map({ String(cString: $0) }) {
    case "incorrect data check": error(.wrongChecksum(byteOffset: byteOffset))
    case "incorrect length check": error(.wrongLength(byteOffset: byteOffset))
    case let words: error(.damaged(detail: words ?? "a dictionary", byteOffset: byteOffset))
    }
  }

  private var outOfMemory: DatasetError {
    DatasetError(path: file.path, problem: .unreadable(reason: "not enough memory to unpack it"))
  }

  private func error(_ problem: GzipProblem) -> DatasetError {
    DatasetError(path: file.path, problem: .gzip(problem))
  }
}
