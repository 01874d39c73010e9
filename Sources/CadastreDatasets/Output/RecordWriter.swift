package import CadastreModel

/// Writes objects as text, one after the other.
package struct RecordWriter {
  /// The forms in which objects are written.
  package enum Format: String, CaseIterable, Sendable { case table, json, ndjson, geojson, csv }

  private let format: Format
  private let columns: [PropertyPath]
  private let numeric: Set<PropertyPath>
  private let width: Int?
  private var rows: [[String]] = []
  private var count = 0

  /// Writes the given columns of each object.
  ///
  /// The numeric ones stand to the right in tables, which fit `width`, the terminal's; nil is as wide
  /// as needed.
  package init(
    _ format: Format, columns: [PropertyPath], numeric: Set<PropertyPath>, width: Int?
  ) {
    self.format = format
    self.columns = columns
    self.numeric = numeric
    self.width = width
  }

  /// What stands before the first object.
  package var head: String {
    switch format {
    case .table, .ndjson: ""
    case .json: "["
    case .geojson: "{\"type\":\"FeatureCollection\",\"features\":["
    case .csv:
      columns.map { FieldText.csv(.value(.string($0.description))) }.joined(separator: ",") + "\n"
    }
  }

  /// The text of an object; tables keep it for the end, when the widths are known.
  package mutating func text(_ record: StoredRecord) -> String {
    defer { count += 1 }
    let separator = count == 0 ? "\n" : ",\n"
    switch format {
    case .table:
      rows.append(columns.map { FieldText.plain(record.content($0)) })
      return ""
    case .csv:
      return columns.map { FieldText.csv(record.content($0)) }.joined(separator: ",") + "\n"
    case .ndjson: return object(record) + "\n"
    case .json: return separator + object(record)
    case .geojson: return separator + feature(record)
    }
  }

  /// What stands after the last object.
  package var foot: String {
    switch format {
    case .table:
      TableText(
        columns: columns.map {
          TableText.Column($0.description, isNumeric: numeric.contains($0))
        }
      ).text(rows, width: width)
    case .csv, .ndjson: ""
    case .json: count == 0 ? "]\n" : "\n]\n"
    case .geojson: count == 0 ? "]}\n" : "\n]}\n"
    }
  }

  private func object(_ record: StoredRecord) -> String {
    "{"
      + columns.map { "\(FieldText.quoted($0.description)):\(FieldText.json(record.content($0)))" }
      .joined(separator: ",") + "}"
  }

  /// A Feature whose geometry is the object's place, and whose properties are all the rest.
  private func feature(_ record: StoredRecord) -> String {
    let geometry = record.place.map { place in
      "{\"type\":\"Point\",\"coordinates\":[\(place.longitude),\(place.latitude)]}"
    }
    let properties = columns.filter { path in
      if case .point = record.content(path) { false } else { true }
    }.map { "\(FieldText.quoted($0.description)):\(FieldText.json(record.content($0)))" }
    return "{\"type\":\"Feature\",\"geometry\":\(geometry ?? "null"),"
      + "\"properties\":{\(properties.joined(separator: ","))}}"
  }
}
