import CadastreModel
import Foundation
import Testing
@testable import CadastreColumnar

/// A file of another writer, with its expected content in a JSON file beside it.
struct Fixture: CustomTestStringConvertible, Sendable {
  let name: String

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  /// Returns the fixtures with an extension, without the one whose library is not installed.
  static func all(_ extension: String) -> [Fixture] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { name in
      name.hasSuffix("." + `extension`)
        && (name != "pa_flat_brotli.parquet" || BrotliLibrary.isInstalled)
    }.sorted().map(Fixture.init)
  }

  var path: String { Self.folder.appending(path: name).path }
  var testDescription: String { name }

  /// The bytes of the file.
  func bytes() throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path))) }

  /// Returns the bytes of a hexadecimal text.
  static func bytes(hex text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0..<$0 + 2]), radix: 16)
    }
  }

  /// The expected content.
  func expected() throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: path + ".json"))
    return try JSONDecoder().decode(JSONTree.self, from: data).value as? [String: Any] ?? [:]
  }
}

/// A JSON value with exact numbers: Bool, Int, UInt, Double, String, arrays, dictionaries or NSNull.
// `JSONSerialization` rounds some doubles.
struct JSONTree: Decodable {
  let value: Any

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = NSNull()
    } else if let bool = try? container.decode(Bool.self) {
      value = bool
    } else if let number = try? container.decode(Int.self) {
      value = number
    } else if let number = try? container.decode(UInt.self) {
      value = number
    } else if let number = try? container.decode(Double.self) {
      value = number
    } else if let text = try? container.decode(String.self) {
      value = text
    } else if let elements = try? container.decode([JSONTree].self) {
      value = elements.map(\.value)
    } else {
      value = try container.decode([String: JSONTree].self).mapValues(\.value)
    }
  }

  /// Returns the bits of an integer; nil for other values.
  static func integer(_ value: Any) -> Int64? {
    if let number = value as? Int { return Int64(number) }
    return (value as? UInt).map { Int64(bitPattern: UInt64($0)) }
  }

  /// Returns a number as a double; nil for other values.
  static func number(_ value: Any) -> Double? {
    switch value {
    case let number as Double: number
    case let number as Int: Double(number)
    case let text as String: text == "NaN" ? .nan : Double(text.replacing("Infinity", with: "inf"))
    default: nil
    }
  }
}

/// All values of a Parquet file by column, without the conversion of geometries to points.
struct ParquetContent {
  let file: ParquetFile
  private(set) var columns: [[ColumnarValue]]

  init(_ bytes: [UInt8]) throws(ColumnarError) {
    file = try ParquetFile(ColumnarFile(bytes: bytes))
    columns = file.columns.roots.map { _ in [] }
    for group in file.metadata.rowGroups {
      var cursors: [LeafCursor?] = []
      for (leaf, chunk) in zip(file.columns.leaves, group.chunks) {
        cursors.append(LeafCursor(try ChunkReader(file.file, leaf, chunk, limit: file.footer)))
      }
      let assembler = RecordAssembler(cursors: cursors)
      for _ in 0..<min(group.rowCount, 100_000) {
        for (index, root) in file.columns.roots.enumerated() {
          columns[index].append(try assembler.value(root))
        }
      }
    }
  }
}
