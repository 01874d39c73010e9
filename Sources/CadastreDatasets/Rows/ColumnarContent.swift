import CadastreColumnar
import CadastreModel

/// Conversion of nested values of columnar files.
enum ColumnarContent {
  /// Returns nested values as a mixed value; nil if they are nested too deeply.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - type: The type of the value, or of the collection that contains it.
  ///   - levels: The number of levels that the mixed value may have.
  /// - Returns: The result.
  static func mixed(_ value: ColumnarValue, _ type: ColumnarType, levels: Int) -> Value? {
    switch value {
    case .value(let value): return value
    case .list(let elements):
      guard levels > 0 else { return nil }
      var values: [Value] = []
      for element in elements {
        guard let value = mixed(element, self.element(of: type), levels: levels - 1) else {
          return nil
        }
        values.append(value)
      }
      return .list(values)
    case .record, .map:
      guard levels > 0 else { return nil }
      var entries: [(String, Value)] = []
      for (name, value, type) in named(value, type) {
        guard let value = mixed(value, type, levels: levels - 1) else { return nil }
        entries.append((JSONConversion.mapKey(name), value))
      }
      return .map(ValueMap(entries))
    }
  }

  /// Returns nested values as content for JSON.
  static func content(_ value: ColumnarValue, _ type: ColumnarType) -> StoredRecord.Content {
    switch value {
    case .value(let value): .value(value)
    case .list(let elements): .list(elements.map { content($0, element(of: type)) })
    case .record, .map:
      .map(named(value, type).map { (key: $0.name, content: content($0.value, $0.type)) })
    }
  }

  private static func element(of type: ColumnarType) -> ColumnarType {
    if case .list(let element, _) = type { element } else { type }
  }

  /// Returns the members of a record, or the entries of a map with their keys as text.
  private static func named(
    _ value: ColumnarValue, _ type: ColumnarType
  ) -> [(name: String, value: ColumnarValue, type: ColumnarType)] {
    switch (value, type) {
    case (.record(let values), .record(let fields)):
      zip(fields, values).map { ($0.name, $1, $0.type) }
    case (.map(let entries), .map(let keyType, let valueType, _)):
      entries.map { entry in
        (FieldText.plain(content(entry.key, keyType)), entry.value, valueType)
      }
    // The value of a collection whose type is given instead of the type of its elements.
    case (_, .list(let element, _)): named(value, element)
    case (_, .map(_, let element, _)): named(value, element)
    default: []
    }
  }
}
