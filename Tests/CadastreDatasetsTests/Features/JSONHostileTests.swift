import DatasetTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Corrupt and malicious files.
@Suite struct JSONHostileTests {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  /// A feature collection with every kind of JSON value.
  static let collection = Array(
    """
    {"type":"FeatureCollection","bbox":[-1.5e2,0,1,2],"x":{"y":["é\\u00e9\\ud83d\\ude00",null]},
    "features":[{"type":"Feature","id":"é漢😀\\n","geometry":{"type":"Point","coordinates":[4.9,52.3]},
    "properties":{"a":true,"b":false,"c":null,"d":-1.5E+3}},{"type":"Feature"}],"z":[[],{}]}
    """.utf8)

  /// Writes bytes to a file and reads it with the given options.
  func reading(
    _ bytes: [UInt8], _ framing: JSONReader.Framing? = .document,
    _ change: (inout JSONOptions) -> Void = { _ in }
  ) throws -> JSONReading {
    var options = JSONOptions()
    change(&options)
    return JSONReading(try folder.file("file.json", bytes), framing, options: options)
  }

  @Test(arguments: [1, 5, 4096])
  func `a truncated document throws an error`(chunkBytes: Int) throws {
    let text = Self.collection
    #expect(try reading(text) { $0.chunkBytes = chunkBytes }.isClean)
    for length in 0..<text.count {
      let actual = try reading(Array(text[..<length])) { $0.chunkBytes = chunkBytes }
      #expect(actual.fileError != nil, "truncated at \(length)")
    }
  }

  @Test func `an invalid UTF-8 byte is rejected at every offset`() throws {
    let text = Self.collection
    for offset in 0..<text.count {
      for byte in [0xFF, 0x80, 0xC3] as [UInt8] {
        var damaged = text
        damaged[offset] = byte
        guard String(validating: damaged, as: UTF8.self) == nil else { continue }
        for chunkBytes in [3, 4096] {
          let actual = try reading(damaged) { $0.chunkBytes = chunkBytes }
          #expect(!actual.isClean, "\(byte) at \(offset)")
        }
      }
    }
  }

  @Test func `the position of invalid UTF-8 does not depend on the chunk size`() throws {
    // Regression found by fuzzing: a chunk ended between stray continuation bytes.
    for damage in [[0xC3, 0x91, 0x93, 0x93, 0x93], [0xF0, 0x9F, 0x98], [0x80], [0xE6, 0xBC]] {
      let start = Array(#"{"x":"é"#.utf8)
      let text = start + damage.map(UInt8.init) + Array(#"é","features":[]}"#.utf8)
      let expected = try reading(text)
      #expect(expected.fileError != nil)
      for chunkBytes in 1...text.count {
        #expect(try reading(text) { $0.chunkBytes = chunkBytes } == expected)
      }
    }
  }

  @Test func `a zero byte is rejected at every offset`() throws {
    for offset in 0..<Self.collection.count {
      var damaged = Self.collection
      damaged[offset] = 0
      #expect(try reading(damaged).fileError != nil, "at \(offset)")
      #expect(try !reading(damaged, .sequence).rowErrors.isEmpty, "at \(offset)")
    }
  }

  @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
  func `values may be nested up to the limit`(open: String, close: String) throws {
    func nested(_ depth: Int) -> String {
      String(repeating: open, count: depth) + "7" + String(repeating: close, count: depth)
    }
    let problem = DatasetError.Problem.json(.tooDeep(limit: 128))

    #expect(try reading(Array("{\"v\":\(nested(127))}".utf8)).isClean)
    #expect(try reading(Array("{\"v\":\(nested(128))}".utf8)).fileError?.problem == problem)
    let lines = "{\"v\":\(nested(128))}\n{}\n"
    let actual = try reading(Array(lines.utf8), .sequence)
    #expect(actual.rowErrors.map(\.problem) == [problem])
    #expect(actual.records.count == 1)
    let endless = Array("{\"v\":\(String(repeating: open, count: 1_000_000))".utf8)
    #expect(try reading(endless).fileError?.problem == problem)
  }

  @Test(arguments: [1, 64, 4096])
  func `a record longer than the limit is rejected`(chunkBytes: Int) throws {
    func limited(_ options: inout JSONOptions) {
      options.recordLimitBytes = 1000
      options.chunkBytes = chunkBytes
    }
    let problem = DatasetError.Problem.json(.tooLong(limitBytes: 1000))
    let long = String(repeating: "x", count: 3000)

    for text in [
      "[{},{\"a\":\"\(long)\"}]", "{\"a\":\"\(long)\"}", "{\"\(long)\":1}", "[{\"a\":\"\(long)",
      "{\"a\":1" + String(repeating: "0", count: 3000),
      "[{\"a\":1" + long.replacing("x", with: "0"),
    ] {
      #expect(try reading(Array(text.utf8), .document, limited).fileError?.problem == problem)
    }
    let lines = "{\"a\":1}\n{\"a\":\"\(long)\"}\n{\"a\":2}\n{\"a\":\"\(long)"
    let actual = try reading(Array(lines.utf8), .sequence, limited)
    #expect(actual.rowErrors.map(\.problem) == [problem, problem])
    #expect(actual.rowErrors.map(\.line) == [2, 4])
    #expect(actual.records.count == 2)
    let many = "{\"a\":[" + String(repeating: "1,", count: 400) + "1]}"
    #expect(
      try reading(Array(many.utf8), .document, limited).fileError?.problem
        == .json(.tooManyValues(limit: 250)))
  }

  @Test func `skipped members may be longer than the record limit`() throws {
    let long = String(repeating: "é😀\\n", count: 2000)
    let blanks = String(repeating: " \n", count: 3000)
    for text in [
      "{\"x\":\"\(long)\",\"type\":\"FeatureCollection\",\"features\":[{\"a\":1}]}",
      "{\"x\":[\"\(long)\"],\"features\":[{\"a\":1}],\"type\":\"FeatureCollection\",\"y\":{\"\(long)\":1}}",
      "\(blanks){\(blanks)\"type\":\"FeatureCollection\",\"features\":\(blanks)[\(blanks){\"a\":1}"
        + "\(blanks)]\(blanks)}\(blanks)",
    ] {
      for chunkBytes in [1, 100] {
        var options = JSONOptions()
        options.recordLimitBytes = 500
        options.chunkBytes = chunkBytes
        let path = try folder.file("file.json", text)
        let reader = try JSONReader(path: path, framing: .document, options: options)
        var record = JSONRecord()
        #expect(try reader.nextRecord(&record))
        #expect(try !reader.nextRecord(&record))
        #expect(reader.window.capacity <= 1200, "\(reader.window.capacity)")
      }
    }
  }

  @Test func `memory use does not depend on the file size`() throws {
    let path = folder.url.appendingPathComponent("pipe.geojson").path
    #expect(mkfifo(path, 0o600) == 0)
    let features = 200_000
    let size = features * 1_500
    let writer = Thread {
      guard let pipe = FileHandle(forWritingAtPath: path) else { return }
      let filling = String(repeating: "filling ", count: 170)
      let feature = Data(
        "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\"text\":\"\(filling)\"}}".utf8)
      let blanks = Data(repeating: 0x20, count: 1_500 - feature.count - 1)
      var block = Data()
      for _ in 0..<100 { block += Data(",".utf8) + feature + blanks }
      try? pipe.write(contentsOf: Data("{\"type\":\"FeatureCollection\",\"features\":[{}".utf8))
      for _ in 0..<features / 100 { try? pipe.write(contentsOf: block) }
      try? pipe.write(contentsOf: Data("]}".utf8))
      try? pipe.close()
    }
    writer.start()

    let reader = try JSONReader(path: path)
    var record = JSONRecord()
    var count = 0
    while try reader.nextRecord(&record) { count += 1 }

    #expect(count == features + 1)
    #expect(reader.bytesRead > size)
    #expect(reader.window.capacity == JSONOptions().chunkBytes)
    #expect(record.bytes.count < 16 * 1024)
    #expect(record.nodes.count < 1024)
  }

  @Test func `many names of equal length are compared in linear time`() throws {
    // 200,000 names of one length in one object: comparing each pair would take minutes.
    let members = (100_000..<300_000).map { "\"name\($0)\":0" }.joined(separator: ",")

    #expect(try reading(Array("{\(members)}".utf8)).isClean)
  }
}
