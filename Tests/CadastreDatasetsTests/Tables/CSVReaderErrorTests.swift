import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

@Suite struct CSVReaderErrorTests {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  /// Returns the error that opening or reading a file throws.
  func failure(_ path: String, _ options: CSVOptions = CSVOptions()) -> DatasetError? {
    do {
      _ = try Reading(path: path, options: options)
      return nil
    } catch {
      return error as? DatasetError
    }
  }

  @Test func `a missing file, a directory and an empty file have different errors`() throws {
    let missing = folder.url.appendingPathComponent("none.csv").path

    #expect(failure(missing)?.problem == .missing)
    #expect(failure(missing)?.description == "\(missing): the file does not exist")
    #expect(failure(folder.url.path)?.problem == .directory)
    for nothing in ["", "\n", "\r\n\r\n", "\u{FEFF}", "\u{FEFF}\n"] {
      #expect(failure(try folder.file("empty.csv", nothing))?.problem == .empty)
    }
  }

  @Test func `an unreadable file throws permission denied`() throws {
    #expect(OpenFile.problem(EACCES) == .notPermitted)
    let path = try folder.file("secret.csv", "a\n1\n")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)

    // The superuser can read every file.
    if geteuid() != 0 { #expect(failure(path)?.problem == .notPermitted) }
  }

  @Test func `UTF-16 with a byte order mark is read`() throws {
    let path = try folder.file("a.csv", [0xFF, 0xFE, 0x61, 0x00, 0x0A, 0x00, 0x62, 0x00])
    #expect(try Reading(path: path).rows == [["b"]])
    #expect(try CSVReader(path: path).header == ["a"])
  }

  @Test func `a ragged row is rejected and the next rows are read`() throws {
    let path = try folder.file("table.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n")

    let actual = try Reading(path: path)

    #expect(actual.rows == [["1", "2", "3"], ["10", "11", "12"]])
    #expect(
      actual.rowErrors == [
        DatasetError(path: path, line: 3, scope: .row, problem: .ragged(expected: 3, found: 2)),
        DatasetError(path: path, line: 4, scope: .row, problem: .ragged(expected: 3, found: 4)),
      ])
    #expect(
      actual.rowErrors[0].description
        == "\(path), line 3: found 2 fields; expected 3, as in the header. With --pad-rows the "
        + "missing fields at the end are null")
  }

  @Test func `a rejected row stays in the record`() throws {
    let reader = try CSVReader(path: folder.file("table.csv", "a,b\n1\n"))
    var record = CSVRecord()

    #expect(throws: DatasetError.self) { try reader.nextRecord(&record) }
    #expect(record.texts == ["1"])
    #expect(record.lineNumber == 2)
    #expect(try !reader.nextRecord(&record))
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xE6, 0xBC], [0xFF],
    ] as [[UInt8]])
  func `invalid UTF-8 is rejected with line, column and offset`(
    bytes: [UInt8]
  ) throws {
    let start = Array("id,name\n1,ok\n2,\"long enough \"\"é ".utf8)
    let path = try folder.file("table.csv", start + bytes + Array("\"\n3,fine\n".utf8))

    let actual = try Reading(path: path)

    #expect(actual.rows == [["1", "ok"], ["3", "fine"]])
    #expect(
      actual.rowErrors == [
        DatasetError(
          path: path, line: 3, scope: .row,
          problem: .invalidUTF8(column: "name", byteOffset: start.count))
      ])
  }

  @Test func `the UTF-8 check agrees with Swift's own on random bytes`() {
    let seed: UInt64 = 20_261_121
    var numbers = SeededGenerator(seed: seed)
    let pieces: [[UInt8]] = [
      [0x41], Array("plain ascii text".utf8), Array("é".utf8), Array("漢".utf8),
      Array("😀".utf8), [0xC3], [0xE2, 0x82], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0x80, 0x80],
    ]
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...6, using: &numbers) {
        bytes += pieces[Int.random(in: 0..<pieces.count, using: &numbers)]
      }
      let isInvalid = bytes.withUnsafeBufferPointer { UTF8Check.firstInvalidOffset(in: $0) } != nil
      #expect(isInvalid == (String(validating: bytes, as: UTF8.self) == nil), "seed \(seed)")
    }
  }

  @Test func `text after a closing quote rejects only its row`() throws {
    let path = try folder.file("table.csv", "a,b\n\"1\"x,2\n3,4\n")

    let actual = try Reading(path: path)

    #expect(actual.rows == [["3", "4"]])
    #expect(actual.rowErrors.map(\.problem) == [.textAfterQuote(column: "a")])
    #expect(actual.rowErrors.map(\.line) == [2])
  }

  @Test func `an unterminated quote is reported at its opening position`() throws {
    let path = try folder.file("table.csv", "a,b\n1,2\n\"x\ny\",\"z\n\n5,6\n")

    #expect(
      failure(path) == DatasetError(path: path, line: 4, problem: .unterminatedQuote))
  }

  @Test func `columns without names and with repeated names get distinct ones`() throws {
    let file = try folder.file("names.csv", "\na, ,a,column2,a_2,a\n1,2,3,4,5,6\n")
    let reader = try CSVReader(path: file)
    #expect(reader.header == ["a", "column2_2", "a_3", "column2", "a_2", "a_4"])
    #expect(reader.notices.count == 3)
    #expect(reader.notices.first == "column 2 has no name and becomes 'column2_2'")
  }

  // The names of 100,000 equal columns took minutes, before the table was refused.
  @Test(arguments: [true, false, nil])
  func `a table with more columns than a class can have is refused`(hasHeader: Bool?) throws {
    var options = CSVOptions()
    options.hasHeader = hasHeader
    let names = repeatElement("a", count: 300_000).joined(separator: ",")
    let wide = try folder.file("wide.csv", names)
    #expect(
      failure(wide, options)
        == DatasetError(path: wide, problem: .tooManyColumns(found: 300_000, maximum: 2000)))

    options.hasHeader = true
    let widest = try folder.file("widest.csv", String(names.prefix(3999)))
    let header = try CSVReader(path: widest, options: options).header
    #expect(header == ["a"] + (2...2000).map { "a_\($0)" })
  }

  @Test func `column names must be UTF-8`() throws {
    let invalid = try folder.file("invalid.csv", Array("a,".utf8) + [0xFF, 0x0A])
    #expect(
      failure(invalid)
        == DatasetError(
          path: invalid, line: 1, problem: .invalidUTF8(column: "2", byteOffset: 2)))
  }

  @Test(arguments: [3, 64, 4096])
  func `a field longer than the limit ends the reading`(chunkBytes: Int) throws {
    var options = CSVOptions()
    options.fieldLimitBytes = 100
    options.chunkBytes = chunkBytes
    let long = String(repeating: "x", count: 200)
    let plain = try folder.file("plain.csv", "a,b\n1,2\n3,\(long)\n")
    let quoted = try folder.file("quoted.csv", "a,b\n1,\"2\n\(long)")
    let many = try folder.file("many.csv", "a,b\n1" + String(repeating: ",1", count: 300))

    #expect(failure(plain, options)?.line == 3)
    #expect(
      failure(plain, options)?.problem == .tooLong(limitBytes: 100, inQuotes: false))
    #expect(failure(quoted, options)?.line == 2)
    #expect(failure(quoted, options)?.scope == .file)
    #expect(failure(many, options)?.problem == .tooLong(limitBytes: 400, inQuotes: false))
  }

  @Test func `error messages escape control characters`() throws {
    let path = try folder.file("table.csv", "a\u{1B}[2J,a\u{1B}[2J\n")

    #expect(try CSVReader(path: path).notices.first?.contains("'a␛[2J'") == true)
  }
}
