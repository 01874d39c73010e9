import Foundation
import Testing

@testable import CadastreColumnar

/// Files with one false number, at its offset in a file of 257 bytes that is documented byte by byte.
@Suite struct HostileParquetTests {
  /// A change of the file.
  struct Lie: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let offset: Int
    let bytes: [UInt8]

    init(_ name: String, _ offset: Int, _ bytes: UInt8...) {
      (testDescription, self.offset, self.bytes) = (name, offset, bytes)
    }
  }

  static let lies = [
    Lie("footer longer than the file", 0xF9, 0xFF, 0xFF, 0xFF, 0x7F),
    Lie("empty footer", 0xF9, 0),
    Lie("negative size of a page", 0x07, 0x7F),
    Lie("page of a size that differs from its content", 0x09, 0x7E),
    Lie("more values in a page than in the chunk", 0x0C, 0x7E),
    Lie("negative number of values in a page", 0x0C, 0x05),
    Lie("unknown encoding", 0x0E, 0x14),
    Lie("dictionary page without its header", 0x05, 0x04),
    Lie("unknown encoding of levels", 0x2D, 0x0A),
    Lie("levels longer than the page", 0x32, 0xFF, 0xFF, 0xFF, 0xFF),
    Lie("run of no levels", 0x36, 0x00),
    Lie("run of more levels than values", 0x36, 0x7E, 0x01),
    Lie("text longer than the page", 0x38, 0xFF, 0xFF, 0xFF, 0x7F),
    Lie("list longer than the footer", 0x46, 0xFC),
    Lie("more children than the schema has", 0x50, 0x0A),
    Lie("negative number of children", 0x50, 0x05),
    Lie("unknown physical type", 0x53, 0x7E),
    Lie("unknown repetition", 0x55, 0x0E),
    Lie("chunk of another type", 0x72, 0x04),
    Lie("negative number of values in a chunk", 0x7E, 0x05),
    Lie("negative size of a chunk", 0x82, 0x7F),
    Lie("negative offset of a chunk", 0x84, 0x07),
    Lie("offset of a chunk inside of a page", 0x84, 0x7E),
    Lie("more rows than values", 0xC2, 0x08),
    Lie("negative number of rows", 0xC2, 0x05),
  ]

  private func read(_ lie: Lie) throws(ColumnarError) {
    let path = Fixture(name: "own_tiny.parquet").path
    var bytes = (try? Data(contentsOf: URL(filePath: path))).map(Array.init) ?? []
    bytes.replaceSubrange(lie.offset..<lie.offset + lie.bytes.count, with: lie.bytes)
    let reader = try ParquetReader(ColumnarFile(bytes: bytes))
    var record = ColumnarRecord()
    while try reader.next(&record) {}
  }

  @Test(arguments: lies)
  func `a false number is an error`(_ lie: Lie) {
    let error = #expect(throws: ColumnarError.self) { try read(lie) }
    #expect(error?.description.isEmpty == false)
  }

  @Test func `a compression that is not read is named`() {
    let error = #expect(throws: ColumnarError.self) { try read(Lie("", 0x7C, 0x06)) }
    #expect(error?.description.contains("LZO") == true, "\(error?.description ?? "")")
  }
}
