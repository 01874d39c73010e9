import CadastreTestSupport
import DatasetTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Compares the reader with `JSONSerialization`, and readings of different chunk sizes.
@Suite struct JSONOracleTests {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  @Test func `random documents read as in Foundation`() throws {
    let seed: UInt64 = 8_259
    var writer = RandomJSON(seed: seed)
    for round in 0..<120 {
      let objects = (0..<Int.random(in: 0...5, using: &writer.numbers)).map { _ in
        writer.object(depth: 4)
      }
      let texts = [
        "[" + objects.joined(separator: writer.blanks() + ",") + "]",
        "{\"type\":\"FeatureCollection\",\"x\":\(writer.value(depth: 3)),\"features\":["
          + objects.joined(separator: ",") + "]}", writer.object(depth: 5),
      ]
      for text in texts {
        let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8))
        var options = JSONOptions()
        options.chunkBytes = [1, 7, 64, 4096][round % 4]
        options.recordsPath = []
        let actual = JSONReading(try folder.file("file.json", text), options: options)
        #expect(
          actual.records == JSONTree.records(ofDocument: theirs),
          "seed \(seed), round \(round): \(text)")
        #expect(actual.isClean, "seed \(seed), round \(round): \(actual.fileError as Any)")
      }
      let lines = objects.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        .joined(separator: "\n")
      let sequence = JSONReading(try folder.file("file.json", lines), .sequence)
      let theirs = try objects.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
      #expect(sequence.records == theirs.map(JSONTree.init), "seed \(seed): \(lines)")
    }
  }

  @Test(arguments: [
    "\u{FEFF} {\"x\":{\"long\":\"é漢😀\\ud83d\\ude00 \\n\",\"n\":-12.5e+3,\"b\":[true,null]},\n"
      + "\"features\":[ {\"a\":\"é\\u00e9\",\"a\\n\":1}\r\n,{\"b\":1,\"b\":2},7, {\"😀\":[[[]]]}],"
      + "\"type\":\"FeatureCollection\", \"y\":\"\\\\\"} ",
    "{\"a\":\"é\\u00e9\"}\r\n{\"b\":1,\"b\":2}\n\n7\n{\"c\":}\n {\"d\":\"\\ud83d\\ude00\"}\n{\"e",
    "\u{1E}{\"a\":\n\"é\\u00e9\"}\r\n\u{1E}{\"b\":1\u{1E}\n\u{1E}\u{1E}{\"c\":12}",
    "[{\"a\":1},{\"b\":tru}]", "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\"}}",
  ])
  func `records and errors do not depend on the chunk size`(
    text: String
  ) throws {
    let path = try folder.file("file.json", text)
    let expected = JSONReading(path)
    for chunkBytes in 1...text.utf8.count + 1 {
      var options = JSONOptions()
      options.chunkBytes = chunkBytes
      #expect(JSONReading(path, options: options) == expected, "chunks of \(chunkBytes) bytes")
    }
  }
}

/// A generator of random JSON that uses all variants of the grammar.
struct RandomJSON {
  var numbers: SeededGenerator
  private var count = 0

  init(seed: UInt64) {
    numbers = SeededGenerator(seed: seed)
  }

  mutating func value(depth: Int) -> String {
    let text =
      switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &numbers) {
      case 0: "null"
      case 1: "true"
      case 2: "false"
      case 3, 4: number()
      case 5: string()
      case 6: "[" + list(depth: depth - 1) + "]"
      default: object(depth: depth - 1)
      }
    return blanks() + text + blanks()
  }

  mutating func object(depth: Int) -> String {
    let members = (0..<Int.random(in: 0...(depth > 4 ? 40 : 5), using: &numbers)).map { _ in
      count += 1
      return "\(blanks())\"\(string().dropFirst().dropLast())\(count)\"\(blanks()):"
        + value(depth: depth)
    }
    return "{" + members.joined(separator: ",") + blanks() + "}"
  }

  mutating func blanks() -> String {
    pick(["", "", "", " ", "\n", "\r\n\t"])
  }

  private mutating func list(depth: Int) -> String {
    (0..<Int.random(in: 0...5, using: &numbers)).map { _ in value(depth: depth) }
      .joined(separator: ",")
  }

  private mutating func number() -> String {
    pick(["0", "-0", "7", "-12", "4.9041", "1e3", "-2.5E-2", "9007199254740993", "0.1", "52.37"])
  }

  private mutating func string() -> String {
    let pieces = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in
      pick([
        "a", "plain ascii", "é", "漢字", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\u0000",
        "\\ud83d\\ude00", "12345678", "[{,:}]",
      ])
    }
    return "\"" + pieces.joined() + "\""
  }

  private mutating func pick(_ choices: [String]) -> String {
    choices[Int.random(in: 0..<choices.count, using: &numbers)]
  }
}
