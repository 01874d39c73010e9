import CadastreGeometry
import CadastreModel

/// A writer of objects as GeoJSON Features.
///
/// The geometry is the first column with geometries, else the first with points. The id is the
/// primary key. All other columns are properties, including the key.
///
/// Source: RFC 7946.
struct FeatureText: RecordText {
  private let columns: FeatureColumns
  private let shape: JSONShape
  private let identifier: PropertyPath?
  /// Whether the Features are the elements of a FeatureCollection; otherwise each has a line.
  private let isCollection: Bool
  /// Whether each Feature of a sequence begins with the record separator of RFC 8142.
  private let hasSeparators: Bool
  private var isEmpty = true
  private var bounds = PointBounds()

  /// Creates a writer of columns.
  init(_ columns: [OutputColumn], _ options: RecordWriter.Options, isCollection: Bool) {
    self.columns = FeatureColumns(columns)
    shape = JSONShape(self.columns.attributes)
    identifier = options.identifier.map { PropertyPath([$0]) }
    hasSeparators = options.hasSeparators
    self.isCollection = isCollection
  }

  func appendHeader(to text: inout OutputText) {
    if isCollection { text.append("{\"type\":\"FeatureCollection\",\"features\":[") }
  }

  mutating func append(_ record: StoredRecord, to text: inout OutputText) {
    if isCollection {
      text.append(isEmpty ? "\n" : ",\n")
    } else if hasSeparators {
      text.append("\u{1E}" as Unicode.Scalar)
    }
    isEmpty = false
    appendFeature(record, to: &text)
    if !isCollection { text.append("\n" as Unicode.Scalar) }
  }

  func appendEnd(to text: inout OutputText) {
    guard isCollection else { return }
    text.append(isEmpty ? "]" : "\n]")
    if let box = bounds.box {
      text.append(",\"bbox\":")
      text.appendCoordinates(box)
    }
    text.append("}\n")
  }

  private mutating func appendFeature(_ record: StoredRecord, to text: inout OutputText) {
    text.append("{\"type\":\"Feature\",")
    if let identifier { appendIdentifier(record.content(identifier), to: &text) }
    text.append("\"geometry\":")
    switch columns.geometry(of: record) {
    case .shape(let geometry):
      bounds.add(geometry)
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

extension RecordWriter.Format {
  /// A FeatureCollection of GeoJSON.
  package static let geojson = Self(name: "geojson") {
    FeatureText($0, $1, isCollection: true)
  }

  /// A Feature in each line.
  package static let geojsonseq = Self(name: "geojsonseq") {
    FeatureText($0, $1, isCollection: false)
  }
}

/// The bounding box of a stream of points.
///
/// A box wider than 180 degrees is replaced by one across the antimeridian if that one is at most
/// 180 degrees wide; its west is then greater than its east.
///
/// Source: RFC 7946, sections 5 and 5.2.
struct PointBounds {
  private var south = Double.infinity
  private var north = -Double.infinity
  /// The range of the negative longitudes.
  private var western = (minimum: Double.infinity, maximum: -Double.infinity)
  /// The range of the other longitudes.
  private var eastern = (minimum: Double.infinity, maximum: -Double.infinity)

  /// Extends the box by a point in degrees.
  mutating func add(longitude: Double, latitude: Double) {
    south = min(south, latitude)
    north = max(north, latitude)
    if longitude < 0 {
      western = (min(western.minimum, longitude), max(western.maximum, longitude))
    } else {
      eastern = (min(eastern.minimum, longitude), max(eastern.maximum, longitude))
    }
  }

  /// Extends the box by a geometry, whose edges are straight in degrees unless it crosses ±180° or contains a pole.
  mutating func add(_ geometry: Geometry) {
    guard let planar = geometry.boundingBox(edges: .planar),
      let spherical = geometry.boundingBox()
    else { return }
    let isUsual =
      spherical.bottomLeft.longitude <= spherical.topRight.longitude
      && planar.containsPole == spherical.containsPole
    let box = isUsual ? planar : spherical
    let (west, east) = (box.bottomLeft.longitude, box.topRight.longitude)
    // The intervals on both sides of ±180° and of 0°.
    let ends =
      west > east
      ? [west, 180, -180, east]
      : west < 0 && east > 0 ? [west, -Double.leastNonzeroMagnitude, 0, east] : [west, east]
    for longitude in ends {
      add(longitude: longitude, latitude: box.bottomLeft.latitude)
      add(longitude: longitude, latitude: box.topRight.latitude)
    }
  }

  /// West, south, east and north in degrees; nil without points.
  var box: [Double]? {
    guard south <= north else { return nil }
    let west = min(western.minimum, eastern.minimum)
    let east = max(western.maximum, eastern.maximum)
    if east - west > 180, western.maximum + 360 - eastern.minimum <= 180 {
      return [eastern.minimum, south, western.maximum, north]
    }
    return [west, south, east, north]
  }
}

extension GeoBox {
  /// Whether the box reaches a pole.
  fileprivate var containsPole: Bool { bottomLeft.latitude == -90 || topRight.latitude == 90 }
}
