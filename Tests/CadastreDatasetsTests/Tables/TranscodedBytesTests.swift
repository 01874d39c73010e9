import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Text files in other encodings than UTF-8 are read as UTF-8.
@Suite struct TranscodedBytesTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Returns the text of a file that is read in pieces of a given size.
  private func text(_ path: String, _ name: String?, pieceBytes: Int) throws -> String {
    let reader = try TranscodedBytes(
      path: path, encoding: name.flatMap(TranscodedBytes.Encoding.init))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 1)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while true {
      let count = try reader.read(into: buffer)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return try #require(String(validating: bytes, as: UTF8.self))
  }

  @Test(arguments: Seeds.usual(1...6))
  func `text is the same in every encoding`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let encodings: [(String?, String.Encoding, [UInt8], [String])] = [
      (nil, .utf8, [], ["a", "\u{E9}", "\u{4E2D}", "\u{1F600}", "\n"]),
      (nil, .utf16LittleEndian, [0xFF, 0xFE], ["a", "\u{E9}", "\u{4E2D}", "\u{1F600}", "\n"]),
      (nil, .utf16BigEndian, [0xFE, 0xFF], ["a", "\u{E9}", "\u{4E2D}", "\u{1F600}", "\n"]),
      ("UTF-16LE", .utf16LittleEndian, [], ["a", "\u{4E2D}", "\u{1F600}", "\r\n"]),
      ("utf-16be", .utf16BigEndian, [], ["a", "\u{4E2D}", "\u{1F600}", "\r\n"]),
      ("latin1", .isoLatin1, [], ["a", "\u{E9}", "\u{FF}", "\n"]),
      ("Windows-1252", .windowsCP1252, [], ["a", "\u{20AC}", "\u{E9}", "\n"]),
      ("shift-jis", .shiftJIS, [], ["a", "\u{6771}", "\u{4EAC}", "\n"]),
    ]
    for (name, encoding, mark, letters) in encodings {
      // More than a piece of the file, so that characters lie across its border.
      let expected = (0..<random.below(90_000) + 40_000).map { _ in random.pick(letters) }.joined()
      let data = try #require(expected.data(using: encoding))
      let path = try folder.file("text", mark + Array(data))

      #expect(try text(path, name, pieceBytes: random.below(5000) + 1) == expected, "\(seed)")
    }
  }

  @Test func `short and invalid files`() throws {
    #expect(try text(folder.file("empty", [UInt8]()), nil, pieceBytes: 9) == "")
    #expect(try text(folder.file("one", [0x61]), nil, pieceBytes: 9) == "a")
    #expect(try text(folder.file("mark", [0xFF, 0xFE]), nil, pieceBytes: 9) == "")
    for (bytes, name) in [
      ([0xFF, 0xFE, 0x61], nil), ([0xFF, 0xFE, 0x00, 0xD8], nil), ([0x61, 0xDC, 0x00], "utf-16be"),
      ([0xDC, 0x00], "utf-16be"), ([0x61, 0x81], "windows-1252"),
    ] as [([UInt8], String?)] {
      let path = try folder.file("invalid", bytes)
      #expect(throws: DatasetError.self) { _ = try text(path, name, pieceBytes: 9) }
    }
    #expect(TranscodedBytes.Encoding(name: "foo") == nil)
  }
}
