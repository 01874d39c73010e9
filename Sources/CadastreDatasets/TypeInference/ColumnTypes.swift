import CadastreFormatting
package import CadastreModel

/// Column types that the user specifies: `elevation=double,opened=date?`.
///
/// A question mark makes the property optional, also where all records have a value.
package struct ColumnTypes: Sendable {
  /// The types that a user may give.
  package static let allowed: [PropertyType] = [
    .int, .double, .float, .string, .bool, .date, .UUID, .objectId, .decimal128, .geometry, .any,
  ]

  /// The types by column, and whether the property is optional in any case.
  private var types: [String: (type: PropertyType, isOptional: Bool)] = [:]

  /// Parses a list; an entry with several `=` is split at the last one.
  ///
  /// - Parameter text: Entries `column=type`, separated by commas.
  /// - Throws: ``ColumnTypesError`` for invalid syntax, an unknown type or a repeated column.
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
      let isOptional = typeName.hasSuffix("?")
      let bareName = (isOptional ? String(typeName.dropLast()) : typeName).lowercased()
      guard let type = PropertyType(name: bareName), Self.allowed.contains(type) else {
        throw ColumnTypesError(entry: String(entry), problem: .unknownType(typeName))
      }
      guard types.updateValue((type, isOptional), forKey: name) == nil else {
        throw ColumnTypesError(entry: String(entry), problem: .repeated(column: name))
      }
    }
  }

  /// Returns fields with the specified types in place of the inferred types.
  ///
  /// - Parameter fields: The inferred fields.
  /// - Returns: The fields in their order.
  /// - Throws: ``ColumnTypesError`` for a column that does not exist.
  package func applied(to fields: [DatasetField]) throws(ColumnTypesError) -> [DatasetField] {
    let names = fields.map(\.name)
    for (column, given) in types.sorted(by: { $0.key < $1.key })
    where !names.contains(column) {
      throw ColumnTypesError(
        entry: "\(column)=\(given.type)\(given.isOptional ? "?" : "")",
        problem: .unknownColumn(column, header: names))
    }
    return fields.map { field in
      guard let given = types[field.name] else { return field }
      return DatasetField(
        name: field.name, shape: .scalar(given.type),
        isOptional: field.isOptional || given.isOptional,
        isDay: field.isDay && given.type == .date, reason: "given with --types")
    }
  }
}

/// An error in a list of column types.
package struct ColumnTypesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Problem: Hashable, Sendable {
    case notAPair
    case unknownType(String)
    case repeated(column: String)
    case unknownColumn(String, header: [String])
  }

  /// The invalid entry of the list.
  package var entry: String
  /// The kind of error.
  package var problem: Problem

  /// One sentence: the entry, what was found, what was expected.
  package var description: String {
    let location = "column types, '\(printable(entry))': "
    switch problem {
    case .notAPair:
      return location + "expected column=type"
    case .unknownType(let name):
      let allowed = ColumnTypes.allowed.map(\.description).joined(separator: ", ")
      return location + "found type '\(printable(name))'; expected one of \(allowed)"
    case .repeated(let column):
      return location + "column '\(printable(column))' occurs twice; expected it once"
    case .unknownColumn(let column, let header):
      return location
        + "there is no column '\(printable(column))'; the header has \(listed(header))"
    }
  }
}
