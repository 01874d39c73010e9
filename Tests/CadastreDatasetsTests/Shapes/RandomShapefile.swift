import CadastreModel
import CadastreTestSupport
import Foundation

@testable import CadastreDatasets

/// A Shapefile of random records, written from the specification without code of the reader.
struct RandomShapefile {
  var shapes: [UInt8] = []
  var table: [UInt8] = []
  /// The records that a reader must return.
  var expected: [TypedRow] = []

  init(using numbers: inout SeededGenerator) {
    let types: [Int32] = [1, 8, 11, 21]
    let type = types.randomElement(using: &numbers) ?? 1
    let textWidth = Int.random(in: 1...300, using: &numbers)
    let fields: [(name: String, type: Character, width: Int, decimals: Int)] = [
      ("TEXT", "C", textWidth & 0xFF, textWidth >> 8), ("WHOLE", "N", 18, 0),
      ("SHARE", "F", 24, 15), ("YES", "L", 1, 0), ("DAY", "D", 8, 0),
    ].filter { $0.0 == "TEXT" ? textWidth & 0xFF > 0 : Bool.random(using: &numbers) }
    let count = Int.random(in: 0...20, using: &numbers)
    var records: [UInt8] = []
    for number in 0..<count {
      var row = TypedRow()
      row.number = number + 1
      let isDeleted = Int.random(in: 0..<8, using: &numbers) == 0
      table.append(isDeleted ? 0x2A : 0x20)
      for field in fields {
        let width = field.name == "TEXT" ? textWidth : field.width
        let (value, text) = Self.value(field.type, width, &numbers)
        row.values.append(value)
        let filling = [UInt8](repeating: 0x20, count: width - text.utf8.count)
        table += "NF".contains(field.type) ? filling + text.utf8 : Array(text.utf8) + filling
      }
      var content = Self.little(Int32(0))
      if Int.random(in: 0..<6, using: &numbers) > 0 {
        let (x, y) = (
          Double.random(in: -180...180, using: &numbers),
          Double.random(in: -90...90, using: &numbers)
        )
        let z = Double.random(in: -100...9000, using: &numbers)
        content = Self.little(type)
        if type == 8 { content += Self.little(x, y, x, y) + Self.little(Int32(1)) }
        content += Self.little(x, y)
        if type == 11 { content += Self.little(z) }
        if type == 21 || type == 11 { content += Self.little(7.5) }
        row.point = try? TypedPoint(longitude: x, latitude: y, altitude: type == 11 ? z : nil)
      }
      records += Self.big(Int32(number + 1)) + Self.big(Int32(content.count / 2)) + content
      if !isDeleted { expected.append(row) }
    }
    shapes =
      Self.big(Int32(9994)) + [UInt8](repeating: 0, count: 20)
      + Self.big(Int32(50 + records.count / 2)) + Self.little(Int32(1000)) + Self.little(type)
      + [UInt8](repeating: 0, count: 64) + records
    let rowBytes = 1 + fields.reduce(0) { $0 + ($1.name == "TEXT" ? textWidth : $1.width) }
    let headerBytes = 33 + 32 * fields.count
    var header: [UInt8] = [3, 126, 11, 22] + Self.little(Int32(count))
    header += Self.little(Int16(headerBytes)) + Self.little(Int16(rowBytes))
    header += [UInt8](repeating: 0, count: 20)
    for field in fields {
      header += Array(field.name.utf8) + [UInt8](repeating: 0, count: 11 - field.name.utf8.count)
      header += [field.type.asciiValue ?? 0, 0, 0, 0, 0]
      header += [UInt8(field.width), UInt8(field.decimals)] + [UInt8](repeating: 0, count: 14)
    }
    table = header + [0x0D] + table + (Bool.random(using: &numbers) ? [0x1A] : [])
  }

  /// Returns a random value and its text in the table.
  private static func value(
    _ type: Character, _ width: Int, _ numbers: inout SeededGenerator
  ) -> (Value, String) {
    if Int.random(in: 0..<5, using: &numbers) == 0 {
      return (.null, type == "L" ? "?" : type == "N" ? String(repeating: "*", count: width) : "")
    }
    switch type {
    case "C":
      let letters = ["a", "Z", "é", "漢", "😀", " ", "'", "\u{1}"]
      var text = ""
      while let letter = letters.randomElement(using: &numbers),
        text.utf8.count + letter.utf8.count < width
      {
        text += letter
      }
      text += "."
      return (.string(text), text)
    case "N":
      let number = Int64.random(
        in: -99_999_999_999_999_999...999_999_999_999_999_999, using: &numbers)
      return (.int(number), "\(number)")
    case "F":
      let number = Double.random(in: -1e9...1e9, using: &numbers)
      return (.double(number), "\(number)")
    case "L":
      let boolean = Bool.random(using: &numbers)
      return (.bool(boolean), boolean ? "T" : "f")
    default:
      let day = Int.random(in: 1...28, using: &numbers)
      let month = Int.random(in: 1...12, using: &numbers)
      let year = Int.random(in: 1...9999, using: &numbers)
      return (
        Timestamp(year: year, month: month, day: day).map(Value.date) ?? .null,
        String(format: "%04d%02d%02d", year, month, day)
      )
    }
  }

  private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  private static func little(_ numbers: Double...) -> [UInt8] {
    numbers.flatMap { little($0.bitPattern) }
  }

  private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
