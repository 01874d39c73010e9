import CZlib

/// A reader of the first KML file in a zip archive: the content of a KMZ file.
///
/// The archive is read from the start; the entries before the KML file must say their size. The
/// checksum is verified at the end.
///
/// Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", 6.3.10, section 4.3; OGC 12-007r2,
/// "OGC KML 2.3", annex C.
final class ZipReader: Decompressor {
  private let file: OpenFile
  // Allocated, because the state of zlib contains a pointer to its stream.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  private var entry = Entry()
  private var isAtEnd = false
  /// The number of bytes of a stored entry that are not returned yet.
  private var storedBytes = 0
  private var checksum: UInt = 0

  /// The header of a file in the archive.
  private struct Entry {
    var name = ""
    var isDeflated = false
    /// Whether checksum and sizes follow the content.
    var hasDescriptor = false
    var checksum: UInt32 = 0
    var compressedBytes = 0
  }

  private static let inputBytes = 64 * 1024
  private static let headerBytes = 30
  private static let signature: UInt32 = 0x0403_4B50
  private static let descriptorSignature: UInt32 = 0x0807_4B50

  /// Returns whether the first bytes of a file are those of a zip archive.
  static func isZip(_ first: [UInt8]) -> Bool { first.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

  /// Opens the first KML file of an archive.
  ///
  /// - Parameter file: The archive, at its start.
  /// - Throws: ``DatasetError`` if it cannot be read; nil without a KML file.
  init?(_ file: OpenFile) throws(DatasetError) {
    self.file = file
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(byteCount: Self.inputBytes, alignment: 16)
    guard inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else {
      throw DatasetError(
        path: file.path, problem: .unreadable(reason: "out of memory while decompressing"))
    }
    while let next = try nextEntry() {
      if next.name.lowercased().hasSuffix(".kml") {
        entry = next
        storedBytes = next.compressedBytes
        return
      }
      guard !next.hasDescriptor else {
        throw error("the files before the KML file do not say their size")
      }
      try skip(next.compressedBytes)
    }
    return nil
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  var unusedBytes: Int { Int(stream.pointee.avail_in) }

  // MARK: Headers

  /// Reads the header of the next file; nil after the last one.
  private func nextEntry() throws(DatasetError) -> Entry? {
    let start = try take(4)
    guard start.count == 4, Self.word(start, 0) == Self.signature else { return nil }
    let header = start + (try take(Self.headerBytes - 4))
    guard header.count == Self.headerBytes else { return nil }
    let flags = Self.half(header, 6)
    let method = Self.half(header, 8)
    guard flags & 1 == 0 else { throw error("it is encrypted") }
    guard method == 0 || method == 8 else {
      throw error("its compression has the number \(method)")
    }
    let compressed = Self.word(header, 18)
    guard compressed != .max else { throw error("it has files of more than 4 GiB") }
    let name = try taken(Int(Self.half(header, 26)))
    _ = try taken(Int(Self.half(header, 28)))
    let entry = Entry(
      name: String(decoding: name, as: UTF8.self), isDeflated: method == 8,
      hasDescriptor: flags & 8 != 0, checksum: Self.word(header, 14),
      compressedBytes: Int(compressed))
    guard entry.isDeflated || !entry.hasDescriptor else {
      throw error("a stored file does not say its size")
    }
    return entry
  }

  private static func half(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
    UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    UInt32(half(bytes, offset)) | UInt32(half(bytes, offset + 2)) << 16
  }

  // MARK: Content

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    guard !isAtEnd, buffer.count > 0 else { return 0 }
    let count = entry.isDeflated ? try inflated(into: buffer) : try stored(into: buffer)
    let bytes = buffer.assumingMemoryBound(to: UInt8.self)
    checksum = crc32(checksum, bytes.baseAddress, UInt32(clamping: count))
    if isAtEnd { try verify() }
    return count
  }

  private func stored(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    let count = try read(min(storedBytes, buffer.count), into: buffer)
    storedBytes -= count
    guard count > 0 || storedBytes == 0 else { throw truncated }
    isAtEnd = storedBytes == 0
    return count
  }

  private func inflated(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    let capacity = UInt32(clamping: buffer.count)
    stream.pointee.next_out = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_out = capacity
    while true {
      if stream.pointee.avail_in == 0 { try fill() }
      let code = inflate(stream, Z_NO_FLUSH)
      let count = Int(capacity - stream.pointee.avail_out)
      switch code {
      case Z_STREAM_END:
        isAtEnd = true
        return count
      case Z_OK, Z_BUF_ERROR:
        if count > 0 { return count }
        guard stream.pointee.avail_in > 0 else { throw truncated }
      default:
        throw error(stream.pointee.msg.map { String(cString: $0) } ?? "its data is damaged")
      }
    }
  }

  private func verify() throws(DatasetError) {
    var expected = entry.checksum
    if entry.hasDescriptor {
      var words = try taken(4)
      if Self.word(words, 0) == Self.descriptorSignature { words = try taken(4) }
      expected = Self.word(words, 0)
    }
    guard UInt32(truncatingIfNeeded: checksum) == expected else {
      throw error("the stored checksum differs from that of the decompressed data")
    }
  }

  // MARK: Input

  private func fill() throws(DatasetError) {
    let count = try file.read(into: input)
    stream.pointee.next_in = input.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_in = UInt32(count)
  }

  /// Copies bytes that are not compressed; returns fewer than wanted at the end of a block.
  private func read(
    _ count: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(DatasetError) -> Int {
    if stream.pointee.avail_in == 0, count > 0 { try fill() }
    let taken = min(count, unusedBytes)
    guard taken > 0, let next = stream.pointee.next_in else { return 0 }
    buffer.copyMemory(from: UnsafeRawBufferPointer(start: next, count: taken))
    stream.pointee.next_in = next + taken
    stream.pointee.avail_in -= UInt32(taken)
    return taken
  }

  /// Returns the next bytes; fewer only at the end of the file.
  private func take(_ count: Int) throws(DatasetError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: count - filled, alignment: 1)
      defer { piece.deallocate() }
      let step = try read(count - filled, into: piece)
      if step == 0 { break }
      bytes.replaceSubrange(filled..<filled + step, with: piece[..<step])
      filled += step
    }
    return Array(bytes.prefix(filled))
  }

  private func taken(_ count: Int) throws(DatasetError) -> [UInt8] {
    let bytes = try take(count)
    guard bytes.count == count else { throw truncated }
    return bytes
  }

  private func skip(_ count: Int) throws(DatasetError) {
    var left = count
    while left > 0 {
      let step = min(left, Self.inputBytes)
      _ = try taken(step)
      left -= step
    }
  }

  // MARK: Errors

  private var truncated: DatasetError { error("it is truncated") }

  private func error(_ detail: String) -> DatasetError {
    DatasetError(path: file.path, problem: .gzip(.zip(detail: detail)))
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension ZipReader: Sendable {}
