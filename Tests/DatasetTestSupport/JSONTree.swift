package import CadastreDatasets
import Foundation

/// A JSON value as a tree, for comparison.
package indirect enum JSONTree: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  /// Strings are compared byte by byte: "é" can be written in two ways.
  case string([UInt8])
  case array([JSONTree])
  case object([[UInt8]: JSONTree])

  /// What Foundation has read.
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
    default: preconditionFailure("Foundation makes a \(type(of: value)) of JSON.")
    }
  }

  /// A node of a record and all that is inside it.
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

  /// Whether a number in it is beyond the largest that Foundation takes.
  package var hasInfiniteNumber: Bool {
    switch self {
    case .number(let number): !number.isFinite
    case .array(let elements): elements.contains(where: \.hasInfiniteNumber)
    case .object(let members): members.values.contains(where: \.hasInfiniteNumber)
    case .null, .bool, .string: false
    }
  }

  /// What the reader is to make of a document that Foundation has read.
  package static func records(ofDocument document: Any) -> [JSONTree] {
    if let array = document as? [Any] { return array.map(JSONTree.init) }
    let object = document as? [String: Any] ?? [:]
    guard object["type"] as? String == "FeatureCollection" else { return [JSONTree(document)] }
    return (object["features"] as? [Any] ?? []).map(JSONTree.init)
  }
}
