import Foundation
import Testing

@testable import CadastreDatasets

/// Gzip files that Python's zlib wrote, see `Fixtures/gzip/make.py`.
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

  /// What reading a file gives: all of its content, or an error.
  private func content(_ path: String, piece: Int = 4096) -> Result<[UInt8], DatasetError> {
    Result { () throws(DatasetError) in
      let file = try FileBytes(path: path)
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
  func `every kind of member unpacks to the table`(name: String, piece: Int) throws {
    #expect(content(Self.path(name).path, piece: piece) == .success(table))
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

  @Test func `a file cut off anywhere says so`() throws {
    for name in ["plain.gz", "header.gz", "members.gz"] {
      let whole = try Self.fixture(name)
      var ends = 0
      for length in 3..<whole.count {
        let found = try problem(Array(whole[..<length]))
        if found == nil {
          ends += 1  // between two members
        } else {
          #expect(found == .gzip(.truncated(fileBytes: length)), "\(name), \(length) bytes")
        }
      }
      #expect(ends == (name == "members.gz" ? 2 : 0))
    }
  }

  @Test func `a flipped byte is an error, or one of the header that says nothing`() throws {
    for name in ["plain.gz", "header.gz"] {
      let whole = try Self.fixture(name)
      for place in whole.indices {
        for mask: UInt8 in [0xFF, 0x10] {
          var bytes = whole
          bytes[place] ^= mask
          switch content(try folder.file("t.gz", bytes)) {
          case .success(let found):
            // Without its magic it is a file as any other; times and names are not looked at, nor
            // are the bits that fill the last byte before the checksum.
            let saysNothing = place < 34 || place == whole.count - 9
            #expect(
              place < 3 ? found == bytes : found == table && saysNothing, "\(name), byte \(place)")
          case .failure(let error):
            var isGzip = false
            if case .gzip = error.problem { isGzip = true }
            #expect(isGzip, "\(name), byte \(place): \(error)")
          }
        }
      }
    }
  }

  @Test func `checksum, length, block and trailing bytes are told apart`() throws {
    let whole = try Self.fixture("plain.gz")
    let count = whole.count
    var checksum = whole
    checksum[count - 8] ^= 1
    var length = whole
    length[count - 4] ^= 1
    var block = whole
    block[10] = 0x07

    #expect(try problem(checksum) == .gzip(.wrongChecksum(byteOffset: count - 4)))
    #expect(try problem(length) == .gzip(.wrongLength(byteOffset: count)))
    #expect(
      try problem(block) == .gzip(.damaged(detail: "invalid block type", byteOffset: 11)))
    #expect(try problem(whole + [0x41]) == .gzip(.trailingBytes(byteOffset: count)))
    #expect(try problem(whole + [0, 0, 0x1F]) == .gzip(.trailingBytes(byteOffset: count + 2)))
    #expect(
      try problem(whole + [0x1F, 0x41])
        == .gzip(.damaged(detail: "incorrect header check", byteOffset: count + 2)))
    #expect(
      GzipProblem.truncated(fileBytes: 7).sentence
        == "its gzip data is cut off at the end of the file (byte 7); get the file again")
  }

  @Test func `an error comes again when reading goes on`() throws {
    let whole = try Self.fixture("plain.gz")
    let file = try FileBytes(path: folder.file("t.gz", whole.dropLast(3)))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }

    #expect(try file.read(into: buffer) == table.count)
    for _ in 0..<2 {
      #expect(throws: DatasetError.self) { try file.read(into: buffer) }
    }
  }

  @Test func `what is sound before the damage comes first, whatever is asked for at a time`() throws
  {
    // Found by the fuzzer: read at once, a table was an error without the rows before the damage.
    func before(_ path: String, piece: Int) throws -> (content: [UInt8], error: DatasetError?) {
      let file = try FileBytes(path: path)
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
    let whole = try Self.fixture("plain.gz")
    var soundBytes = 0
    for place in stride(from: 20, to: whole.count - 8, by: 9) {
      var bytes = whole
      bytes[place] ^= 0xFF
      let path = try folder.file("t.gz", bytes)
      let (single, all) = (try before(path, piece: 1), try before(path, piece: 1 << 16))
      #expect(single.content == all.content && single.error == all.error, "byte \(place)")
      #expect(all.error != nil, "byte \(place)")
      soundBytes += all.content.count
    }
    #expect(soundBytes > 0)
  }

  @Test func `what unpacks to far more comes piece by piece`() throws {
    let file = try FileBytes(path: Self.path("zeros.gz").path)
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

  @Test func `a file is unpacked beside nobody and vanishes`() throws {
    var unpacked: UnpackedFile? = try UnpackedFile(unpacking: Self.path("members.gz").path)
    let path = try #require(unpacked?.path)

    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == table)
    unpacked = nil
    #expect(!FileManager.default.fileExists(atPath: path))
    let cut = try folder.file("cut.gz", try Self.fixture("plain.gz").dropLast())
    #expect(throws: DatasetError.self) { try UnpackedFile(unpacking: cut) }
  }

  @Test(
    arguments: [
      ("a zip archive", "unzip", [0x50, 0x4B, 3, 4]),
      ("xz", "xz --decompress --keep", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
      ("zstd", "zstd --decompress", [0x28, 0xB5, 0x2F, 0xFD]),
      ("bzip2", "bzip2 --decompress --keep", Array("BZh91AY&SY".utf8)),
    ] as [(String, String, [UInt8])])
  func `other compressions are refused with the command`(
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
