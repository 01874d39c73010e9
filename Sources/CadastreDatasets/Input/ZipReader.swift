import CZlib
import CadastreColumnar

/// A reader of the first KML file in a zip archive: the content of a KMZ file.
///
/// The archive is read from the start; the entries before the KML file must declare their size. The
/// checksum is verified at the end.
///
/// Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", 6.3.10, section 4.3; OGC 12-007r2,
/// "OGC KML 2.3", annex C.
final class ZipReader: Decompressor {
  private let file: OpenFile
  private let inflater: Inflater
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

  /// Returns whether the first bytes of a file are the signature of a zip archive.
  static func isZip(_ first: [UInt8]) -> Bool { first.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

  /// Opens the first KML file of an archive.
  ///
  /// - Parameter file: The archive, at its start.
  /// - Throws: ``DatasetError`` if it cannot be read; nil without a KML file.
  init?(_ file: OpenFile) throws(DatasetError) {
    guard let inflater = Inflater(.deflate) else { throw GzipReader.outOfMemory(file.path) }
    self.file = file
    self.inflater = inflater
    input = .allocate(byteCount: Self.inputBytes, alignment: 16)
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

  deinit { input.deallocate() }

  var unusedBytes: Int { inflater.unusedBytes }

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
    while true {
      if inflater.unusedBytes == 0 { try fill() }
      let (count, status) = inflater.decompress(into: buffer)
      switch status {
      case .complete:
        isAtEnd = true
        return count
      case .incomplete:
        if count > 0 { return count }
        guard inflater.unusedBytes > 0 else { throw truncated }
      case .outOfMemory: throw GzipReader.outOfMemory(file.path)
      case .invalid(let message): throw error(message ?? "its data is damaged")
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
    inflater.input = UnsafeRawBufferPointer(rebasing: input[..<count])
  }

  /// Copies bytes that are not compressed; returns fewer than `count` at the end of a block.
  private func read(
    _ count: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(DatasetError) -> Int {
    if unusedBytes == 0, count > 0 { try fill() }
    let taken = min(count, unusedBytes)
    guard taken > 0 else { return 0 }
    let input = inflater.input
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<taken]))
    inflater.input = UnsafeRawBufferPointer(rebasing: input[taken...])
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
