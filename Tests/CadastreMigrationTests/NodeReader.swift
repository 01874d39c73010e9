import CadastreModel
import CadastreStore
import CadastreTestSupport

/// Reads objects with all they hold, and notes which rows that took.
final class NodeReader {
  private let reader: any StoreReader
  /// The objects with rows of their own that were read.
  private(set) var visited: Set<ObjectAddress> = []

  init(_ reader: any StoreReader) { self.reader = reader }

  /// What a store holds.
  func read(_ className: String, _ key: ObjectKey) throws -> Node {
    let layout = try reader.layout(className)
    guard let row = try reader.row(layout, key) else { return .value(.null) }
    visited.insert(ObjectAddress(className: className, key: key))
    return try read(layout.schema, layout.fields, layout.point, row, key)
  }

  private func read(
    _ schema: ObjectSchema, _ fields: [FieldLayout], _ point: PointColumns?, _ row: [Value],
    _ key: ObjectKey
  ) throws -> Node {
    var members: [String: Node] = [:]
    for (property, field) in zip(schema.properties, fields) {
      let target = property.objectClassName ?? ""
      members[property.columnName] =
        switch field {
        case .scalar(let column): .value(row[column])
        case .link(let column), .owned(let column): try read(row[column], target)
        case .embedded(let layout):
          row[layout.presence].isNull
            ? .value(.null) : try read(layout.schema, layout.fields, layout.point, row, key)
        case .pointType: .value((point?.content(row).type).map(Value.string) ?? .null)
        case .pointCoordinates:
          .list((point?.content(row).coordinates ?? []).map { .value(.double($0)) })
        case .collection(let layout): try read(layout, key)
        }
    }
    return .object(members)
  }

  private func read(_ layout: CollectionLayout, _ key: ObjectKey) throws -> Node {
    let collection = CollectionReader(layout, reader)
    let target = layout.target ?? ""
    switch layout.kind {
    case .list: return .list(try collection.values(key).map { try read($0, target) })
    case .set: return .set(Set(try collection.values(key).map { try read($0, target) }))
    case .map:
      return .map(
        Dictionary(
          uniqueKeysWithValues: try collection.entries(key).map {
            ($0.key, try read($0.value, target))
          }))
    }
  }

  private func read(_ value: Value, _ target: String) throws -> Node {
    guard case .link(let key) = value else { return .value(value) }
    return try read(target, key)
  }
}
