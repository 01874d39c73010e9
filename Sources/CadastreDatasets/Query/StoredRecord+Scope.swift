import CadastreModel

extension StoredRecord {
  /// Returns the record with the fields of a class only, in embedded objects too.
  ///
  /// - Parameters:
  ///   - root: The class with the fields that remain.
  ///   - schema: The classes of embedded objects with the fields that remain.
  /// - Returns: The record.
  func limited(to root: ObjectSchema, in schema: Schema) -> StoredRecord {
    StoredRecord(
      fields: fields.compactMap { field in
        guard let property = root[field.name] else { return nil }
        guard let target = property.objectClassName.flatMap({ schema[$0] }), target.isEmbedded
        else { return field }
        return (field.name, Self.limited(field.content, to: target, in: schema))
      })
  }

  private static func limited(
    _ content: Content, to target: ObjectSchema, in schema: Schema
  ) -> Content {
    switch content {
    case .value, .point: content
    case .record(let record): .record(record.limited(to: target, in: schema))
    case .list(let elements): .list(elements.map { limited($0, to: target, in: schema) })
    case .map(let entries):
      .map(entries.map { ($0.key, limited($0.content, to: target, in: schema)) })
    }
  }
}
