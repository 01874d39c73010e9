import Foundation
import Testing

@testable import CadastreDatasets

/// Tests on gzip files that Python's zlib wrote, see `Fixtures/gzip/make.py`.
@Suite struct GzipTests {
  private let folder: ScratchFolder
  private let table: [UInt8]

  init() throws {
    folder = try ScratchFolder()
    table = try Self.fixture("table.csv")
  }

  private static func fixture(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: path(name)))
  }

  private static func path(_ name: String) -> URL {
    repository.appendingPathComponent("Tests/CadastreDatasetsTests/Fixtures/gzip/\(name)")
  }

  /// Returns the content of a file, or the error that reading it throws.
  private func content(_ path: String, piece: Int = 4096) -> Result<[UInt8], DatasetError> {
    Result { () throws(DatasetError) in
      let file = try InputBytes(path: path)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 1)
      defer { buffer.deallocate() }
      var content: [UInt8] = []
      while true {
        let count = try file.read(into: buffer)
        guard count > 0 else { return content }
        content += Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  private func problem(_ bytes: [UInt8], _ name: String = "t.gz") throws -> DatasetError.Problem? {
    guard case .failure(let error) = content(try folder.file(name, bytes)) else { return nil }
    #expect(error.scope == .file)
    return error.problem
  }

  @Test(
    arguments: ["table.csv", "plain.gz", "stored.gz", "header.gz", "members.gz", "padded.gz"],
    [1, 7, 4096])
  func `every kind of member decompresses to the table`(name: String, piece: Int) throws {
    #expect(content(Self.path(name).path, piece: piece) == .success(table))
  }

  @Test(arguments: [1, 5, 64, 1 << 16])
  func `the rows before damaged data are read with any size of chunks`(chunkBytes: Int) throws {
    var bytes = try Self.fixture("plain.gz")
    bytes[bytes.count - 8] ^= 1  // The checksum at the end.
    var options = CSVOptions()
    options.chunkBytes = chunkBytes
    let reader = try CSVReader(path: try folder.file("damaged.csv.gz", bytes), options: options)
    var record = CSVRecord()
    var rows = 0
    #expect(throws: DatasetError.self) {
      while try reader.nextRecord(&record) { rows += 1 }
    }
    #expect(rows == 40)
  }

  @Test func `rows, offsets and progress of a gzipped table`() throws {
    let plain = try Reading(path: Self.path("table.csv").path)
    let reader = try CSVReader(path: Self.path("members.gz").path)
    var record = CSVRecord()
    while try reader.nextRecord(&record) {}

    #expect(try Reading(path: Self.path("members.gz").path) == plain)
    #expect(plain.rows.count == 40)
    #expect(reader.bytesRead == table.count)
    #expect(reader.totalBytes == (try Self.fixture("members.gz").count))
    #expect(reader.progressBytes == reader.totalBytes)
  }

  @Test func `a truncated file throws an error`() throws {
    for name in ["plain.gz", "header.gz", "members.gz"] {
      let intact = try Self.fixture(name)
      var ends = 0
      for length in 3..<intact.count {
        let actual = try problem(Array(intact[..<length]))
        if actual == nil {
          ends += 1  // between two members
        } else {
          #expect(actual == .gzip(.truncated(fileBytes: length)), "\(name), \(length) bytes")
        }
      }
      #expect(ends == (name == "members.gz" ? 2 : 0))
    }
  }

  @Test func `a changed byte throws an error, except in unused header fields`() throws {
    for name in ["plain.gz", "header.gz"] {
      let intact = try Self.fixture(name)
      for offset in intact.indices {
        for mask: UInt8 in [0xFF, 0x10] {
          var bytes = intact
          bytes[offset] ^= mask
          switch content(try folder.file("t.gz", bytes)) {
          case .success(let actual):
            // Without its magic number the file counts as uncompressed; times, names and the
            // padding bits of the last byte before the checksum are not validated.
            let isIgnored = offset < 34 || offset == intact.count - 9
            #expect(
              offset < 3 ? actual == bytes : actual == table && isIgnored, "\(name), byte \(offset)"
            )
          case .failure(let error):
            let problem = error.problem.problem(of: GzipProblem.self)
            #expect(problem != nil, "\(name), byte \(offset): \(error)")
          }
        }
      }
    }
  }

  @Test func `wrong checksums, lengths, blocks and trailing bytes have different errors`() throws {
    let intact = try Self.fixture("plain.gz")
    let count = intact.count
    var checksum = intact
    checksum[count - 8] ^= 1
    var length = intact
    length[count - 4] ^= 1
    var block = intact
    block[10] = 0x07

    #expect(try problem(checksum) == .gzip(.wrongChecksum(byteOffset: count - 4)))
    #expect(try problem(length) == .gzip(.wrongLength(byteOffset: count)))
    #expect(
      try problem(block) == .gzip(.corrupt(detail: "invalid block type", byteOffset: 11)))
    #expect(try problem(intact + [0x41]) == .gzip(.trailingBytes(byteOffset: count)))
    #expect(try problem(intact + [0, 0, 0x1F]) == .gzip(.trailingBytes(byteOffset: count + 2)))
    #expect(
      try problem(intact + [0x1F, 0x41])
        == .gzip(.corrupt(detail: "incorrect header check", byteOffset: count + 2)))
    #expect(
      GzipProblem.truncated(fileBytes: 7).sentence
        == "the gzip data is truncated at the end of the file (byte 7); get the file again")
  }

  @Test func `reading after an error throws the same error`() throws {
    let intact = try Self.fixture("plain.gz")
    let file = try InputBytes(path: folder.file("t.gz", intact.dropLast(3)))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }

    #expect(try file.read(into: buffer) == table.count)
    for _ in 0..<2 {
      #expect(throws: DatasetError.self) { try file.read(into: buffer) }
    }
  }

  @Test func `intact content before a corrupt byte is read first, in any piece size`() throws {
    // Regression found by fuzzing: a single large read failed without the rows before the error.
    func before(_ path: String, piece: Int) throws -> (content: [UInt8], error: DatasetError?) {
      let file = try InputBytes(path: path)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 1)
      defer { buffer.deallocate() }
      var content: [UInt8] = []
      do throws(DatasetError) {
        while true {
          let count = try file.read(into: buffer)
          if count == 0 { return (content, nil) }
          content += Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
      } catch {
        return (content, error)
      }
    }
    let intact = try Self.fixture("plain.gz")
    var intactBytes = 0
    for offset in stride(from: 20, to: intact.count - 8, by: 9) {
      var bytes = intact
      bytes[offset] ^= 0xFF
      let path = try folder.file("t.gz", bytes)
      let (single, all) = (try before(path, piece: 1), try before(path, piece: 1 << 16))
      #expect(single.content == all.content && single.error == all.error, "byte \(offset)")
      #expect(all.error != nil, "byte \(offset)")
      intactBytes += all.content.count
    }
    #expect(intactBytes > 0)
  }

  @Test func `highly compressed content is read in pieces`() throws {
    let file = try InputBytes(path: Self.path("zeros.gz").path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
    defer { buffer.deallocate() }
    var (total, before) = (0, 0)
    while true {
      let count = try file.read(into: buffer)
      if count == 0 { break }
      total += count
      #expect(file.bytesConsumed >= before)
      before = file.bytesConsumed
    }

    #expect(total == 16 << 20)
    #expect(file.bytesConsumed == file.totalBytes)
  }

  @Test func `a decompressed copy is temporary and removed after use`() throws {
    var copy: DecompressedFile? = try DecompressedFile(of: Self.path("members.gz").path)
    let path = try #require(copy?.path)

    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == table)
    copy = nil
    #expect(!FileManager.default.fileExists(atPath: path))
    let cut = try folder.file("cut.gz", try Self.fixture("plain.gz").dropLast())
    #expect(throws: DatasetError.self) { try DecompressedFile(of: cut) }
  }

  @Test func `the folder of a decompressed copy is removed with it`() throws {
    var copy: DecompressedFile? = try DecompressedFile(of: Self.path("plain.gz").path)
    let parent = try #require(
      copy.map { URL(fileURLWithPath: $0.path).deletingLastPathComponent().path })
    #expect(FileManager.default.fileExists(atPath: parent))
    copy?.unlink()
    #expect(!FileManager.default.fileExists(atPath: parent))
    copy = nil
  }

  @Test func `a copy that grows beyond any plausible size is refused`() throws {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    let gzip = try #require(Deflater(windowBits: Deflater.gzipBits))
    var bytes: [UInt8] = []
    for _ in 0..<512 { bytes += gzip.compressed(zeros, isLast: false) }
    let path = try folder.file("zeros.gz", bytes + gzip.compressed([], isLast: true))

    let error = #expect(throws: DatasetError.self) { try DecompressedFile(of: path) }
    guard
      case .tooLarge(let count, _, let command)? = error?.problem.problem(of: GzipProblem.self)
    else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((256 << 20)...(257 << 20) ~= count)
    #expect(command.contains("gzip --decompress"))
  }

  // Regression: the file was decompressed completely before its first bytes were read.
  @Test func `a compressed file that is no GeoPackage is not decompressed`() throws {
    let gzip = try #require(Deflater(windowBits: Deflater.gzipBits))
    var numbers = SystemRandomNumberGenerator()
    let start = gzip.compressed(
      (0..<1 << 20).map { _ in UInt8.random(in: 1...255, using: &numbers) }, isLast: false)
    // Reading the rest would throw an error about damaged data.
    let path = try folder.file("x.gpkg.gz", start + [UInt8](repeating: 0xFF, count: 1 << 20))

    let error = #expect(throws: DatasetError.self) { try GeoPackageFile(path: path) }
    #expect(error?.problem == .geoPackage(.notSQLite))
  }

  @Test(
    arguments: [
      ("a zip archive", "unzip", [0x50, 0x4B, 3, 4]),
      ("xz", "xz --decompress --keep", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
      ("zstd", "zstd --decompress", [0x28, 0xB5, 0x2F, 0xFD]),
      ("bzip2", "bzip2 --decompress --keep", Array("BZh91AY&SY".utf8)),
    ] as [(String, String, [UInt8])])
  func `other compressions are rejected with the command that decompresses`(
    name: String, command: String, bytes: [UInt8]
  ) throws {
    let path = try folder.file("it's.csv", bytes + [1, 2, 3])
    let quoted = "'" + path.replacing("'", with: "'\\''") + "'"

    #expect(
      try problem(bytes + [1, 2, 3], "it's.csv")
        == .gzip(.otherCompression(name: name, command: "\(command) \(quoted)")))
    #expect(throws: DatasetError.self) { try CSVReader(path: path) }
    #expect(try problem(Array("BZh9,b\n".utf8)) == nil)
  }
}
