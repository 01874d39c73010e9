import CadastreFormatting
package import CadastreModel

/// Column types as the user states them: `elevation=double,opened=date`.
package struct ColumnTypes: Hashable, Sendable {
  /// The types that can be stated, by the names users write.
  package static let allowed: [PropertyType] = [
    .int, .double, .float, .string, .bool, .date, .UUID, .objectId, .decimal128, .any,
  ]

  /// The stated types by column.
  package private(set) var types: [String: PropertyType] = [:]

  /// Reads a list; a name that holds `=` itself is split at the last one.
  package init(_ text: String) throws(ColumnTypesError) {
    for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let equals = entry.lastIndex(of: "=") else {
        throw ColumnTypesError(entry: String(entry), problem: .notAPair)
      }
      let name = String(entry[..<equals].trimmingBlanks())
      let typeName = String(entry[entry.index(after: equals)...].trimmingBlanks())
      guard !name.isEmpty else {
        throw ColumnTypesError(entry: String(entry), problem: .notAPair)
      }
      guard let type = PropertyType(name: typeName.lowercased()), Self.allowed.contains(type) else {
        throw ColumnTypesError(entry: String(entry), problem: .unknownType(typeName))
      }
      guard types.updateValue(type, forKey: name) == nil else {
        throw ColumnTypesError(entry: String(entry), problem: .repeated(column: name))
      }
    }
  }

  /// Puts the stated types in the place of guessed ones.
  package func applied(to fields: [DatasetField]) throws(ColumnTypesError) -> [DatasetField] {
    let names = fields.map(\.name)
    for (column, type) in types.sorted(by: { $0.key < $1.key }) where !names.contains(column) {
      throw ColumnTypesError(
        entry: "\(column)=\(type)", problem: .unknownColumn(column, header: names))
    }
    return fields.map { field in
      guard let type = types[field.name] else { return field }
      return DatasetField(
        name: field.name, shape: .scalar(type), isOptional: field.isOptional,
        reason: "stated with --types")
    }
  }
}

/// Why a list of column types could not be used.
package struct ColumnTypesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found in place of `column=type`.
  package enum Problem: Hashable, Sendable {
    case notAPair
    case unknownType(String)
    case repeated(column: String)
    case unknownColumn(String, header: [String])
  }

  /// The entry of the list.
  package var entry: String
  /// What is wrong with it.
  package var problem: Problem

  /// One sentence: the entry, what was found, what was expected.
  package var description: String {
    let place = "column types, '\(printable(entry))': "
    switch problem {
    case .notAPair:
      return place + "expected column=type"
    case .unknownType(let name):
      let allowed = ColumnTypes.allowed.map(\.description).joined(separator: ", ")
      return place + "found type '\(printable(name))'; expected one of \(allowed)"
    case .repeated(let column):
      return place + "column '\(printable(column))' has a type already; expected it once"
    case .unknownColumn(let column, let header):
      return place + "there is no column '\(printable(column))'; the header has \(listed(header))"
    }
  }
}
