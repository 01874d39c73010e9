import Testing

@testable import CadastreColumnar

/// The decompressor of zlib's formats, with data that Python's zlib compressed.
@Suite struct InflaterTests {
  /// Two members of gzip: "one, " and "two".
  private static let members: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0xcf,
    0x4b, 0xd5, 0x51, 0x00, 0x00, 0x1c, 0xd5, 0xfa, 0x4a, 0x05, 0x00, 0x00,
    0x00, 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b,
    0x29, 0xcf, 0x07, 0x00, 0x66, 0x8a, 0xca, 0x11, 0x03, 0x00, 0x00, 0x00,
  ]

  /// A thousand letters in DEFLATE data without a header.
  private static let letters: [UInt8] = [
    0x4b, 0x4c, 0x1c, 0x05, 0xa3, 0x60, 0x14, 0x0c, 0x77, 0x00, 0x00,
  ]

  /// Decompresses all streams with pieces of input and output, and returns the last status.
  private func inflate(
    _ bytes: [UInt8], _ format: Inflater.Format, input: Int, output: Int
  ) throws -> ([UInt8], Inflater.Status) {
    let inflater = try #require(Inflater(format))
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: output)
    return bytes.withUnsafeBytes { bytes in
      var offset = 0
      while true {
        if inflater.unusedBytes == 0 {
          let end = min(offset + input, bytes.count)
          inflater.input = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
          offset = end
        }
        let (count, status) = buffer.withUnsafeMutableBytes { inflater.decompress(into: $0) }
        result += buffer[..<count]
        let isAtEnd = inflater.unusedBytes == 0 && offset == bytes.count
        switch status {
        case .incomplete: if isAtEnd, count == 0 { return (result, status) }
        case .complete:
          if isAtEnd { return (result, status) }
          inflater.reset()
        case .outOfMemory, .invalid: return (result, status)
        }
      }
    }
  }

  @Test(arguments: [1, 7, 1000])
  func `pieces of any size give the same bytes`(size: Int) throws {
    for format in [Inflater.Format.gzip, .gzipOrZlib] {
      let (bytes, status) = try inflate(Self.members, format, input: size, output: size)
      #expect(String(decoding: bytes, as: UTF8.self) == "one, two" && status == .complete)
    }
    let (bytes, status) = try inflate(Self.letters, .deflate, input: size, output: size)
    #expect(bytes == [UInt8](repeating: UInt8(ascii: "a"), count: 1000) && status == .complete)
  }

  @Test func `truncated data is incomplete`() throws {
    let (bytes, status) = try inflate(
      Array(Self.members.dropLast()), .gzip, input: 1000, output: 1000)
    #expect(String(decoding: bytes, as: UTF8.self) == "one, two" && status == .incomplete)
  }

  @Test func `another checksum and other bytes are invalid`() throws {
    var changed = Self.members
    changed[changed.count - 8] ^= 1
    let (_, status) = try inflate(changed, .gzip, input: 1000, output: 1000)
    #expect(status == .invalid(message: "incorrect data check"))
    let (_, other) = try inflate(Self.letters, .gzip, input: 1000, output: 1000)
    #expect(other == .invalid(message: "incorrect header check"))
  }
}
