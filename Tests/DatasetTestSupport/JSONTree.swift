package import CadastreDatasets
import Foundation

/// A JSON value as a tree, for comparison.
package indirect enum JSONTree: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  /// Compared byte by byte, because Swift's `==` treats the two encodings of "é" as equal.
  case string([UInt8])
  case array([JSONTree])
  case object([[UInt8]: JSONTree])

  /// Converts a value that Foundation has parsed.
  package init(_ value: Any) {
    switch value {
    case is NSNull: self = .null
    case let text as String: self = .string(Array(text.utf8))
    case let list as [Any]: self = .array(list.map(JSONTree.init))
    case let members as [String: Any]:
      let pairs = members.map { (Array($0.key.utf8), JSONTree($0.value)) }
      self = .object(Dictionary(uniqueKeysWithValues: pairs))
    case let number as NSNumber:
      let isBool = number.objCType.pointee == CChar(UInt8(ascii: "c"))
      self = isBool ? .bool(number.boolValue) : .number(number.doubleValue)
    default:
      preconditionFailure(
        "JSONSerialization returned a \(type(of: value)), which is no JSON value.")
    }
  }

  /// Copies a node of a record with all its descendants.
  package init(_ record: JSONRecord, _ node: Int) {
    switch record[node].kind {
    case .null: self = .null
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .integer, .number: self = .number(Double(record.text(node)) ?? .nan)
    case .string: self = .string(record.withText(node) { Array($0) })
    case .array: self = .array(record.elements(of: node).map { JSONTree(record, $0) })
    case .object:
      let pairs = record.members(of: node).map { member in
        (record.withText(member.name) { Array($0) }, JSONTree(record, member.value))
      }
      self = .object(Dictionary(uniqueKeysWithValues: pairs))
    }
  }

  /// Whether the tree contains a number beyond the range that Foundation accepts.
  package var hasInfiniteNumber: Bool {
    switch self {
    case .number(let number): !number.isFinite
    case .array(let elements): elements.contains(where: \.hasInfiniteNumber)
    case .object(let members): members.values.contains(where: \.hasInfiniteNumber)
    case .null, .bool, .string: false
    }
  }

  /// Returns whether the tree equals one parsed by Foundation.
  ///
  /// Foundation rounds several times while it reads a number of many digits: its result may be a few units in the
  /// last place from the nearest double.
  package func agrees(with theirs: JSONTree) -> Bool {
    switch (self, theirs) {
    case (.number(let mine), .number(let other)):
      mine == other || abs(mine - other) <= abs(mine) * 0x1p-46
    case (.array(let mine), .array(let others)):
      mine.count == others.count && zip(mine, others).allSatisfy { $0.agrees(with: $1) }
    case (.object(let mine), .object(let others)):
      mine.count == others.count
        && mine.allSatisfy { name, value in others[name].map(value.agrees) ?? false }
    default: self == theirs
    }
  }

  /// Returns the records that the reader must produce for a document parsed by Foundation.
  package static func records(ofDocument document: Any) -> [JSONTree] {
    if let array = document as? [Any] { return array.map(JSONTree.init) }
    let object = document as? [String: Any] ?? [:]
    guard object["type"] as? String == "FeatureCollection" else { return [JSONTree(document)] }
    return (object["features"] as? [Any] ?? []).map(JSONTree.init)
  }
}
