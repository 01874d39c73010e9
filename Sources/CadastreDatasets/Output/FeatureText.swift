import CadastreGeometry
import CadastreModel

/// A writer of objects as GeoJSON Features.
///
/// The geometry is the first column with geometries, else the first with points. The id is the
/// primary key. All other columns are properties, including the key.
///
/// Source: RFC 7946.
struct FeatureText {
  private let columns: FeatureColumns
  private let shape: JSONShape
  private let identifier: PropertyPath?
  private(set) var bounds = PointBounds()

  /// Creates a writer of Features with the given columns.
  init(_ columns: [OutputColumn], identifier: String?) {
    self.columns = FeatureColumns(columns)
    shape = JSONShape(self.columns.attributes)
    self.identifier = identifier.map { PropertyPath([$0]) }
  }

  /// Appends a Feature.
  mutating func append(_ record: StoredRecord, to text: inout OutputText) {
    text.append("{\"type\":\"Feature\",")
    if let identifier { appendIdentifier(record.content(identifier), to: &text) }
    text.append("\"geometry\":")
    switch columns.place(record) {
    case .shape(let geometry):
      if let box = geometry.boundingBox(edges: .planar) {
        for corner in [box.bottomLeft, box.topRight] {
          bounds.add(longitude: corner.longitude, latitude: corner.latitude)
        }
      }
      text.append(geometry.geoJSON)
    case .point(let coordinates):
      bounds.add(longitude: coordinates[0], latitude: coordinates[1])
      text.append("{\"type\":\"Point\",\"coordinates\":")
      // A position has longitude, latitude and an optional altitude.
      text.appendCoordinates(coordinates.prefix(3))
      text.append("}" as Unicode.Scalar)
    case nil: text.append("null")
    }
    text.append(",\"properties\":")
    shape.append(record, to: &text)
    text.append("}" as Unicode.Scalar)
  }

  /// Appends the id, which is a string or a number; nothing for null.
  private func appendIdentifier(_ content: StoredRecord.Content, to text: inout OutputText) {
    guard case .value(let value) = content, !value.isNull else { return }
    text.append("\"id\":")
    text.appendJSON(value)
    text.append("," as Unicode.Scalar)
  }
}
