import CadastreModel
import CadastreSQLite
import Foundation

@testable import CadastreStore

/// The pages of one table in a closed store's file, for damaging them.
///
/// Source: sqlite.org/fileformat2.html, "B-tree Pages".
struct TablePages {
  private let path: String
  private let pageSize: Int
  /// The number of the table's root page; the first page of the file is 1.
  let root: Int

  init(of table: String, in path: String) throws {
    self.path = path
    let connection = try Connection(path: path, mode: .readWrite)
    pageSize = Int(try connection.integer("PRAGMA page_size") ?? 0)
    root = Int(
      try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = ?", .string(table))
        ?? 0)
    try connection.checkpointOnClose()
  }

  func read(_ number: Int) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64((number - 1) * pageSize))
    return Array(try file.read(upToCount: pageSize) ?? Data())
  }

  func write(_ bytes: [UInt8], to number: Int) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64((number - 1) * pageSize))
    try file.write(contentsOf: Data(bytes))
  }

  /// Overwrites a page with bytes that are no page; returns the page as it was.
  func destroy(_ number: Int) throws -> [UInt8] {
    let original = try read(number)
    try write(Array(repeating: 0xFF, count: pageSize), to: number)
    return original
  }

  /// Replaces the key of a row by another of the same stored length: keys from 128 to 16,383 take two
  /// bytes, and smaller ones may be written in two.
  func replaceKey(_ old: Int, with new: Int) throws {
    var number = root
    while true {
      var page = try read(number)
      let cells = (0..<word(page, 3)).map { word(page, (page[0] == 5 ? 12 : 8) + 2 * $0) }
      guard page[0] == 5 else {
        for cell in cells {
          let start = cell + variableLength(page, cell).length
          let key = variableLength(page, start)
          guard key.value == old, key.length == 2 else { continue }
          page[start] = UInt8(0x80 | new >> 7)
          page[start + 1] = UInt8(new & 0x7F)
          return try write(page, to: number)
        }
        throw CocoaError(.fileReadCorruptFile)
      }
      let child = cells.first { old <= variableLength(page, $0 + 4).value }
      number = pageNumber(page, child ?? 8)
    }
  }

  private func word(_ page: [UInt8], _ offset: Int) -> Int {
    Int(page[offset]) << 8 | Int(page[offset + 1])
  }

  private func pageNumber(_ page: [UInt8], _ offset: Int) -> Int {
    word(page, offset) << 16 | word(page, offset + 2)
  }

  private func variableLength(_ page: [UInt8], _ offset: Int) -> (value: Int, length: Int) {
    var value = 0
    for length in 1...8 {
      let byte = page[offset + length - 1]
      value = value << 7 | Int(byte & 0x7F)
      if byte < 0x80 { return (value, length) }
    }
    return (value << 8 | Int(page[offset + 8]), 9)
  }
}
