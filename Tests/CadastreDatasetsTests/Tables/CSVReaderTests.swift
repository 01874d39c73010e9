import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct CSVReaderTests {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  func reading(_ text: String, _ options: CSVOptions = CSVOptions()) throws -> Reading {
    try Reading(path: folder.file("table.csv", text), options: options)
  }

  /// Returns the rows, or the error that ends the reading, as text.
  func outcome(_ path: String, _ options: CSVOptions) -> String {
    do {
      return "\(try Reading(path: path, options: options))"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"], ["", "end"])
  func `all line ends are accepted, and the last one is optional`(
    lineEnd: String, last: String
  ) throws {
    let text = ["a,b", "1,2", "3,4"].joined(separator: lineEnd) + (last.isEmpty ? "" : lineEnd)

    let actual = try reading(text)

    #expect(actual.header == ["a", "b"])
    #expect(actual.rows == [["1", "2"], ["3", "4"]])
    #expect(actual.lines == [2, 3])
  }

  @Test func `quoted fields contain delimiters, line ends and doubled quotes`() throws {
    let actual = try reading("a,b\n\"x,\"\"y\"\"\r\nz\",\"\"\n\"\"\"\",\" q \"\n5'11\",a\"b\n")

    #expect(actual.rows == [["x,\"y\"\r\nz", ""], ["\"", " q "], ["5'11\"", "a\"b"]])
    #expect(actual.lines == [2, 4, 5])
  }

  @Test func `a byte order mark is not part of the first name`() throws {
    let actual = try reading("\u{FEFF}id,name\n1,é\n")

    #expect(actual.header == ["id", "name"])
    #expect(actual.rows == [["1", "é"]])
  }

  @Test func `empty lines are skipped, except in tables of one column`() throws {
    #expect(try reading("\n\na,b\n\n1,2\n\n").rows == [["1", "2"]])
    #expect(try reading("a\n1\n\n2\n").rows == [["1"], [""], ["2"]])
  }

  @Test(arguments: [",", ";", "\t", "|"])
  func `the delimiter is detected from the header`(delimiter: String) throws {
    let actual = try reading("id\(delimiter)\"a,b;c|d\"\(delimiter)n\n1\(delimiter)2\(delimiter)3")

    #expect(actual.header == ["id", "a,b;c|d", "n"])
    #expect(actual.rows == [["1", "2", "3"]])
  }

  @Test func `a format without quoting keeps quotes as text`() throws {
    var options = CSVOptions.tabSeparated
    options.quote = nil

    let actual = try reading("a\tb\n\"x\ty\"\n", options)

    #expect(actual.rows == [["\"x", "y\""]])
  }

  @Test func `the rows do not depend on the chunk size`() throws {
    let lines = [
      "\u{FEFF}id;\"na\"\"me\";note\r\n1;\"line one\r\nline \"\"two\"\"\";é漢\r2;\"\";\r\n\n",
      "3;\"x;y\";\"\n\n\"\n4;ragged\n5;\"a\"b;c\r\n6;\"end\";\"last\"",
    ]
    let text = lines.joined()
    let path = try folder.file("pieces.csv", text)
    let expected = try Reading(path: path)
    #expect(expected.rows.count == 4)
    #expect(expected.rowErrors.map(\.line) == [9, 10])

    for chunkBytes in 1...text.utf8.count + 1 {
      var options = CSVOptions()
      options.chunkBytes = chunkBytes
      #expect(
        try Reading(path: path, options: options) == expected, "chunks of \(chunkBytes) bytes")
    }
  }

  @Test func `all small tables read the same in chunks of one byte and in one chunk`() throws {
    let alphabet = Array("a,\"\n\r".utf8)
    for length in 0...5 {
      var count = 1
      for _ in 0..<length { count *= alphabet.count }
      for number in stride(from: 0, to: count, by: length == 5 ? 7 : 1) {
        var rest = number
        var bytes = Array("h\n".utf8)
        for _ in 0..<length {
          bytes.append(alphabet[rest % alphabet.count])
          rest /= alphabet.count
        }
        let path = try folder.file("small.csv", bytes)
        var options = CSVOptions()
        options.delimiter = UInt8(ascii: ",")
        let expected = outcome(path, options)
        options.chunkBytes = 1
        let chunked = outcome(path, options)
        #expect(chunked == expected, "\(bytes)")
      }
    }
  }

  @Test func `the reader reports its progress`() throws {
    let text = "a,b\n1,2\n3,4\n"
    let reader = try CSVReader(path: folder.file("table.csv", text))
    var record = CSVRecord()

    #expect(reader.totalBytes == text.utf8.count)
    #expect(reader.bytesRead == 4)
    _ = try reader.nextRecord(&record)
    #expect(reader.bytesRead == 8)
    #expect(record.byteOffset == 4)
    while try reader.nextRecord(&record) {}
    #expect(reader.bytesRead == text.utf8.count)
  }

  @Test func `a table of random fields reads as in Python's csv module`() throws {
    let expected = try PythonRows(fixtures.appendingPathComponent("oracle.json"))

    for chunkBytes in [7, 64, 512 * 1024] {
      var options = CSVOptions()
      options.chunkBytes = chunkBytes
      let actual = try Reading(
        path: fixtures.appendingPathComponent("oracle.csv").path, options: options)

      #expect(actual.header == expected.rows.first)
      #expect(actual.rows == Array(expected.rows.dropFirst()))
      #expect(actual.rowErrors.isEmpty)
    }
  }

  // The row was scanned again from its start after each read from the file.
  @Test func `a long row is scanned in linear time`() throws {
    let count = 200_000
    let row = String(repeating: "1,", count: count) + "1\n"
    let path = try folder.file("long.csv", "a,b\n" + row)
    var options = CSVOptions()
    options.chunkBytes = 1000
    options.hasHeader = true
    let reader = try CSVReader(path: path, options: options)
    var record = CSVRecord()

    let error = #expect(throws: DatasetError.self) { try reader.nextRecord(&record) }
    #expect(error?.problem == .ragged(expected: 2, found: count + 1))
    #expect(reader.scannedBytes < 8 * row.utf8.count)
  }
}
