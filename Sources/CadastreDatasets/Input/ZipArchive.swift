import CadastreColumnar
import CadastreFormatting
import CadastreStore
import CZlib
import Foundation

/// The directory of a zip archive, whose files can be extracted in any order.
///
/// Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", 6.3.10, sections 4.3 and 4.5.3.
struct ZipArchive {
  /// A file in the archive.
  struct Entry {
    /// The path in the archive, with `/`.
    let name: String
    fileprivate let flags: UInt16
    fileprivate let method: UInt16
    fileprivate let checksum: UInt32
    fileprivate let compressedBytes: UInt64
    fileprivate let bytes: UInt64
    fileprivate let offset: UInt64

    /// The path without the extension, in lower case.
    var stem: Substring { name.lowercased().dropLast(suffix.isEmpty ? 0 : suffix.count + 1) }

    /// The extension in lower case; empty for none.
    var suffix: String {
      let file = name.lowercased().split(separator: "/").last ?? ""
      return file.firstIndex(of: ".").flatMap { _ in file.split(separator: ".").last }.map(
        String.init) ?? ""
    }
  }

  /// The path of the archive.
  let path: String
  /// The files, in the order of the directory; folders are left out.
  private(set) var entries: [Entry] = []
  private let handle: FileHandle
  private let size: UInt64

  private static let endSignature: UInt32 = 0x0605_4B50
  private static let end64Signature: UInt32 = 0x0606_4B50
  private static let locatorSignature: UInt32 = 0x0706_4B50
  private static let entrySignature: UInt32 = 0x0201_4B50
  private static let fileSignature: UInt32 = 0x0403_4B50
  private static let endBytes = 22
  private static let entryBytes = 46
  private static let fileBytes = 30
  private static let maximumComment = 0xFFFF
  /// The maximum size of the directory, in bytes.
  private static let maximumDirectory: UInt64 = 64 << 20
  private static let pieceBytes = 256 * 1024

  /// Reads the directory of an archive.
  ///
  /// - Throws: ``DatasetError`` if the file cannot be read or is no zip archive.
  init(path: String) throws(DatasetError) {
    self.path = path
    do {
      handle = try FileHandle(forReadingFrom: URL(filePath: path))
      size = try handle.seekToEnd()
    } catch {
      throw DatasetError(path: path, problem: OpenFile.problem(errno))
    }
    let tailBytes = min(size, UInt64(Self.endBytes + Self.maximumComment))
    let tail = try read(at: size - tailBytes, Int(tailBytes))
    let ends = stride(from: tail.count - Self.endBytes, through: 0, by: -1).filter {
      tail.word($0) == Self.endSignature
    }
    // The comment, which ends the file, may contain the signature.
    let complete = ends.first { $0 + Self.endBytes + Int(tail.half($0 + 20)) == tail.count }
    guard let end = complete ?? ends.first else {
      throw error("it has no directory; get the file again")
    }
    var count = UInt64(tail.half(end + 10))
    var (bytes, offset) = (UInt64(tail.word(end + 12)), UInt64(tail.word(end + 16)))
    if end >= 20, tail.word(end - 20) == Self.locatorSignature {
      let large = try read(at: tail.long(end - 12), 56)
      guard large.word(0) == Self.end64Signature else { throw error("its directory is damaged") }
      (count, bytes, offset) = (large.long(32), large.long(40), large.long(48))
    }
    guard bytes <= Self.maximumDirectory, offset <= size, bytes <= size - offset else {
      throw error("its directory is damaged")
    }
    guard try readDirectory(try read(at: offset, Int(bytes))) == count else {
      throw error("its directory is damaged; get the file again")
    }
  }

  /// Reads the entries of the directory, and returns their number with those of folders.
  private mutating func readDirectory(_ directory: [UInt8]) throws(DatasetError) -> UInt64 {
    var at = 0
    var count: UInt64 = 0
    while at + Self.entryBytes <= directory.count, directory.word(at) == Self.entrySignature {
      let nameBytes = Int(directory.half(at + 28))
      let extraBytes = Int(directory.half(at + 30))
      let start = at + Self.entryBytes
      let next = start + nameBytes + extraBytes + Int(directory.half(at + 32))
      guard next <= directory.count else { throw error("its directory is damaged") }
      var sizes = [directory.word(at + 24), directory.word(at + 20), directory.word(at + 42)]
        .map(UInt64.init)
      Self.readLargeSizes(directory[(start + nameBytes)..<(start + nameBytes + extraBytes)], &sizes)
      let name = String(decoding: directory[start..<start + nameBytes], as: UTF8.self)
        .replacing("\\", with: "/")
      if !name.hasSuffix("/") {
        entries.append(
          Entry(
            name: name, flags: directory.half(at + 8), method: directory.half(at + 10),
            checksum: directory.word(at + 16), compressedBytes: sizes[1], bytes: sizes[0],
            offset: sizes[2]))
      }
      count += 1
      at = next
    }
    return count
  }

  /// Replaces sizes and offsets that do not fit 32 bits by those of the extra field 1.
  private static func readLargeSizes(_ extra: ArraySlice<UInt8>, _ sizes: inout [UInt64]) {
    var rest = Array(extra)
    while rest.count >= 4 {
      let count = Int(rest.half(2))
      guard count <= rest.count - 4 else { return }
      if rest.half(0) == 1 {
        var at = 4
        for index in sizes.indices where sizes[index] == UInt64(UInt32.max) && at + 8 <= 4 + count {
          sizes[index] = rest.long(at)
          at += 8
        }
        return
      }
      rest.removeFirst(4 + count)
    }
  }

  // MARK: - Extraction

  /// Writes the content of a file to a new file.
  ///
  /// - Parameters:
  ///   - entry: The file in the archive.
  ///   - destination: The path of the new file.
  ///   - allowance: The numbers of compressed and decompressed bytes so far, which are updated.
  /// - Throws: ``DatasetError`` if the content is damaged, encrypted or unreasonably large, or the disk is full.
  /// - Complexity: O(n) in the size of the content, in constant memory.
  func extract(
    _ entry: Entry, to destination: String, _ allowance: inout (compressed: Int, bytes: Int)
  ) throws(DatasetError) {
    guard entry.flags & 1 == 0 else { throw error("'\(printable(entry.name))' is encrypted") }
    guard entry.method == 0 || entry.method == 8 else {
      throw error("the compression of '\(printable(entry.name))' has the number \(entry.method)")
    }
    let header = try read(at: entry.offset, Self.fileBytes)
    guard header.word(0) == Self.fileSignature else { throw damaged(entry) }
    let start =
      entry.offset + UInt64(Self.fileBytes) + UInt64(header.half(26)) + UInt64(header.half(28))
    guard start <= size, entry.compressedBytes <= size - start else { throw damaged(entry) }
    let descriptor = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unwritable(destination) }
    defer { close(descriptor) }
    var checksum: UInt = 0
    let compressed = allowance.compressed + Int(clamping: entry.compressedBytes)
    var total = allowance.bytes
    let sink = { (bytes: UnsafeRawBufferPointer) throws(DatasetError) in
      let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      checksum = crc32(checksum, base, UInt32(clamping: bytes.count))
      total += bytes.count
      guard !DecompressedFile.isUnreasonable(total, of: compressed) else {
        throw error("'\(printable(entry.name))' is more than \(total) bytes; extract it by hand")
      }
      guard CompleteWrite.write(bytes, to: descriptor) else { throw unwritable(destination) }
    }
    try content(entry, from: start, sink)
    guard UInt32(truncatingIfNeeded: checksum) == entry.checksum else { throw damaged(entry) }
    allowance = (compressed, total)
  }

  /// Calls a closure with the pieces of the content of a file.
  private func content(
    _ entry: Entry, from start: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(DatasetError) -> Void
  ) throws(DatasetError) {
    guard let inflater = Inflater(.deflate) else { throw GzipReader.outOfMemory(path) }
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
    defer { output.deallocate() }
    var at = start
    let end = start + entry.compressedBytes
    while at < end {
      let piece = try read(at: at, Int(min(UInt64(Self.pieceBytes), end - at)))
      at += UInt64(piece.count)
      let isLast = at == end
      let result = piece.withUnsafeBytes { bytes in
        Result { () throws(DatasetError) -> Bool in
          if entry.method == 0 {
            try body(bytes)
            return isLast
          }
          inflater.input = bytes
          return try inflate(inflater, output, entry, body)
        }
      }
      if try result.get() { return }
    }
    guard entry.compressedBytes == 0 else { throw damaged(entry) }
  }

  /// Decompresses the input; returns whether the content is complete.
  private func inflate(
    _ inflater: Inflater, _ output: UnsafeMutableRawBufferPointer, _ entry: Entry,
    _ body: (UnsafeRawBufferPointer) throws(DatasetError) -> Void
  ) throws(DatasetError) -> Bool {
    while true {
      let (count, status) = inflater.decompress(into: output)
      try body(UnsafeRawBufferPointer(rebasing: output[..<count]))
      switch status {
      case .complete: return true
      case .incomplete where count == 0: return false
      case .incomplete: continue
      case .outOfMemory: throw GzipReader.outOfMemory(path)
      case .invalid: throw damaged(entry)
      }
    }
  }

  // MARK: - Input and errors

  private func read(at offset: UInt64, _ count: Int) throws(DatasetError) -> [UInt8] {
    guard offset <= size, UInt64(count) <= size - offset else { throw error("it is damaged") }
    do {
      try handle.seek(toOffset: offset)
      let data = try handle.read(upToCount: count) ?? Data()
      if data.count == count { return Array(data) }
    } catch {
      throw DatasetError(path: path, problem: .unreadable(reason: "\(error)"))
    }
    throw error("it is truncated")
  }

  private func damaged(_ entry: Entry) -> DatasetError {
    error("'\(printable(entry.name))' is damaged; get the file again")
  }

  private func unwritable(_ destination: String) -> DatasetError {
    DatasetError(
      path: path,
      problem: .unreadable(
        reason: "cannot extract it to \(destination): \(String(cString: strerror(errno)))"))
  }

  private func error(_ detail: String) -> DatasetError {
    DatasetError(path: path, problem: .gzip(.zip(detail: detail)))
  }
}

extension [UInt8] {
  fileprivate func half(_ offset: Int) -> UInt16 {
    UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  fileprivate func word(_ offset: Int) -> UInt32 {
    UInt32(half(offset)) | UInt32(half(offset + 2)) << 16
  }

  fileprivate func long(_ offset: Int) -> UInt64 {
    UInt64(word(offset)) | UInt64(word(offset + 4)) << 32
  }
}
