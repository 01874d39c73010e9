import CadastreModel

/// Objects as Features of GeoJSON.
///
/// The geometry is the object's first place and null where there is none; the id is the primary key; all other
/// columns are properties, the key among them.
///
/// Source: RFC 7946.
struct FeatureText {
  private let shape: JSONShape
  private let identifier: PropertyPath?
  private(set) var bounds = PlaceBounds()

  /// Features with some columns.
  init(_ columns: [OutputColumn], identifier: String?) {
    shape = JSONShape(columns.filter { !$0.isPlace })
    self.identifier = identifier.map { PropertyPath([$0]) }
  }

  /// Adds a Feature.
  mutating func append(_ record: StoredRecord, to text: inout OutputText) {
    text.append("{\"type\":\"Feature\",")
    if let identifier { appendIdentifier(record.content(identifier), to: &text) }
    text.append("\"geometry\":")
    if let coordinates = record.placeCoordinates {
      bounds.add(longitude: coordinates[0], latitude: coordinates[1])
      text.append("{\"type\":\"Point\",\"coordinates\":")
      // A position has longitude, latitude and perhaps an altitude.
      text.appendCoordinates(coordinates.prefix(3))
      text.append("}" as Unicode.Scalar)
    } else {
      text.append("null")
    }
    text.append(",\"properties\":")
    shape.append(record, to: &text)
    text.append("}" as Unicode.Scalar)
  }

  /// An id is a text or a number.
  private func appendIdentifier(_ content: StoredRecord.Content, to text: inout OutputText) {
    guard case .value(let value) = content, !value.isNull else { return }
    text.append("\"id\":")
    text.appendJSON(value)
    text.append("," as Unicode.Scalar)
  }
}
