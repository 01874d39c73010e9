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

  /// The rows, or the error that ends the reading, as text.
  func outcome(_ path: String, _ options: CSVOptions) -> String {
    do {
      return "\(try Reading(path: path, options: options))"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"], ["", "end"])
  func `any line end ends a row, and the last one may lack it`(
    lineEnd: String, last: String
  ) throws {
    let text = ["a,b", "1,2", "3,4"].joined(separator: lineEnd) + (last.isEmpty ? "" : lineEnd)

    let found = try reading(text)

    #expect(found.header == ["a", "b"])
    #expect(found.rows == [["1", "2"], ["3", "4"]])
    #expect(found.lines == [2, 3])
  }

  @Test func `quotes hold delimiters, line ends and doubled quotes`() throws {
    let found = try reading("a,b\n\"x,\"\"y\"\"\r\nz\",\"\"\n\"\"\"\",\" q \"\n5'11\",a\"b\n")

    #expect(found.rows == [["x,\"y\"\r\nz", ""], ["\"", " q "], ["5'11\"", "a\"b"]])
    #expect(found.lines == [2, 4, 5])
  }

  @Test func `a byte order mark is not part of the first name`() throws {
    let found = try reading("\u{FEFF}id,name\n1,é\n")

    #expect(found.header == ["id", "name"])
    #expect(found.rows == [["1", "é"]])
  }

  @Test func `empty lines are passed over, but are values of a single column`() throws {
    #expect(try reading("\n\na,b\n\n1,2\n\n").rows == [["1", "2"]])
    #expect(try reading("a\n1\n\n2\n").rows == [["1"], [""], ["2"]])
  }

  @Test(arguments: [",", ";", "\t", "|"])
  func `the header tells the delimiter`(delimiter: String) throws {
    let found = try reading("id\(delimiter)\"a,b;c|d\"\(delimiter)n\n1\(delimiter)2\(delimiter)3")

    #expect(found.header == ["id", "a,b;c|d", "n"])
    #expect(found.rows == [["1", "2", "3"]])
  }

  @Test func `a format without quotes takes them as they are`() throws {
    var options = CSVOptions.tabSeparated
    options.quote = nil

    let found = try reading("a\tb\n\"x\ty\"\n", options)

    #expect(found.rows == [["\"x", "y\""]])
  }

  @Test func `wherever the file is cut into pieces, the rows are the same`() throws {
    let lines = [
      "\u{FEFF}id;\"na\"\"me\";note\r\n1;\"line one\r\nline \"\"two\"\"\";é漢\r2;\"\";\r\n\n",
      "3;\"x;y\";\"\n\n\"\n4;ragged\n5;\"a\"b;c\r\n6;\"end\";\"last\"",
    ]
    let text = lines.joined()
    let path = try folder.file("pieces.csv", text)
    let whole = try Reading(path: path)
    #expect(whole.rows.count == 4)
    #expect(whole.rowErrors.map(\.line) == [9, 10])

    for chunkBytes in 1...text.utf8.count + 1 {
      var options = CSVOptions()
      options.chunkBytes = chunkBytes
      #expect(try Reading(path: path, options: options) == whole, "pieces of \(chunkBytes)")
    }
  }

  @Test func `all small tables over a few bytes read the same in pieces and as a whole`() throws {
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
        let whole = outcome(path, options)
        options.chunkBytes = 1
        let pieces = outcome(path, options)
        #expect(whole == pieces, "\(bytes)")
      }
    }
  }

  @Test func `reading tells how far it has come`() throws {
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

  @Test func `a table of random fields reads as Python's csv module reads it`() throws {
    let fixtures = repository.appendingPathComponent("Tests/CadastreDatasetsTests/Fixtures")
    let expected = try PythonRows(fixtures.appendingPathComponent("oracle.json"))

    for chunkBytes in [7, 64, 512 * 1024] {
      var options = CSVOptions()
      options.chunkBytes = chunkBytes
      let found = try Reading(
        path: fixtures.appendingPathComponent("oracle.csv").path, options: options)

      #expect(found.header == expected.rows.first)
      #expect(found.rows == Array(expected.rows.dropFirst()))
      #expect(found.rowErrors.isEmpty)
    }
  }
}
