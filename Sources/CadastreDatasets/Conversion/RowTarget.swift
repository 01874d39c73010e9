import CadastreGeometry
import CadastreModel
import CadastreStore

/// The table to which records are converted.
struct RowTarget: Sendable {
  /// The class and the destination of each field.
  let imported: ImportedClass
  /// The table of the class.
  let layout: TableLayout
  /// The tables of all classes.
  let catalogue: Catalogue
  /// The treatment of coordinates of other systems.
  var conversion = CoordinateConversion.none

  /// The conversion of coordinates in fields, whose system only the caller can name; nil for degrees.
  var fieldTransformation: CoordinateTransformation? {
    get throws(ImportError) {
      do throws(DatasetError) {
        return try conversion.transformation(path: "", nil) { .missing }
      } catch {
        throw ImportError(error.problem.sentence)
      }
    }
  }

  /// Returns the property with a name, which must exist.
  func property(_ name: String) -> (index: Int, property: Property, field: FieldLayout) {
    guard let index = layout.schema.index(of: name) else {
      preconditionFailure("class '\(layout.schema.className)' has no property '\(name)'")
    }
    return (index, layout.schema.properties[index], layout.fields[index])
  }

  /// The step for each field, and the indexes of the properties that fields have, in the order of the fields.
  var steps: (steps: [FieldStep], properties: [Int]) {
    var properties: [Int] = []
    let steps = imported.targets.map { destination -> FieldStep in
      switch destination {
      case .longitude: return .degrees(.longitude)
      case .latitude: return .degrees(.latitude)
      case .wkt: return .wkt
      case .property(let name):
        properties.append(property(name).index)
        return .property(properties.count - 1)
      case .ignored: return .ignored
      }
    }
    return (steps, properties)
  }

  /// The columns for the geometry or the coordinates of a record; nil if there are none.
  var geometryColumns: GeometryColumns? {
    switch geometryIndex.map({ layout.fields[$0] }) {
    case .embedded(let embedded) where embedded.point != nil: .point(embedded)
    case .scalar(let column): .geometry(column)
    default: nil
    }
  }

  /// The index of the property of ``geometryColumns``.
  var geometryIndex: Int? { imported.geometryProperty.flatMap { layout.schema.index(of: $0) } }

  /// The point whose longitude and latitude are fields of the records, without an altitude; nil for none.
  var flatPoint: EmbeddedLayout? {
    guard imported.targets.contains(.longitude), case .point(let embedded) = geometryColumns else {
      return nil
    }
    return embedded
  }

  /// Returns the indexes of the properties with values in records: the fields and the geometry.
  func filled(by fields: [Int]) -> [Int] {
    fields + [geometryIndex].compactMap(\.self).filter { !fields.contains($0) }
  }

  /// Returns a row without values; the collections among the fields are empty.
  func emptyRow(_ fields: [Int]) -> ImportRow {
    var row = ImportRow(columns: layout.columns.count)
    for case .collection(let collection) in fields.map({ layout.fields[$0] }) {
      row.values[collection.countColumn] = .int(0)
    }
    return row
  }
}

/// The treatment of a field of records.
enum FieldStep {
  /// The field is a property, with its index among the properties that fields have.
  case property(Int)
  /// The field is a coordinate of the location.
  case degrees(Axis)
  /// The field is the location in well-known text.
  case wkt
  /// The field is not selected.
  case ignored
}

extension EmbeddedLayout {
  /// Writes a point to the row of its owner; degrees and metres.
  func write(longitude: Double, latitude: Double, altitude: Double? = nil, to row: inout ImportRow)
  {
    guard let point else { return }
    row.values[presence] = .int(1)
    row.values[point.longitude] = .double(longitude + 0)
    row.values[point.latitude] = .double(latitude + 0)
    row.values[point.altitude] = altitude.map(Value.double) ?? .null
  }
}

/// The columns for the geometry or the coordinates of a record.
enum GeometryColumns: Sendable {
  /// An embedded point.
  case point(EmbeddedLayout)
  /// A geometry, in one column.
  case geometry(Int)

  /// Writes a point to a row.
  func write(_ point: TypedPoint, to row: inout ImportRow) {
    switch self {
    case .point(let embedded):
      embedded.write(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude, to: &row)
    case .geometry(let column): row.values[column] = point.geometry.map(Value.geometry) ?? .null
    }
  }

  /// Writes a geometry to a row, or its centroid to an embedded point; an empty geometry has no
  /// centroid.
  ///
  /// - Parameters:
  ///   - geometry: The geometry; a point only for a geometry column.
  ///   - imported: The use of geometries.
  ///   - row: The row.
  /// - Throws: ``Rejection`` if the geometry is invalid and neither kept nor repaired, or if the
  ///   property is for points only.
  func write(
    _ geometry: Geometry, _ imported: ImportedClass, to row: inout ImportRow
  ) throws(Rejection) {
    if case .point = self, imported.geometryUse != .centroid {
      throw Rejection(
        field: ImportedClass.geometryName,
        reason: "the geometry is no point; the class has a property for points only")
    }
    let shape = try imported.invalidShapes.checked(geometry, field: ImportedClass.geometryName)
    switch self {
    case .geometry(let column): row.values[column] = .geometry(shape)
    case .point(let embedded):
      guard let center = shape.centroid else { return }
      embedded.write(longitude: center.longitude, latitude: center.latitude, to: &row)
    }
  }
}

/// A coordinate of a point on the Earth.
enum Axis: String {
  case longitude, latitude

  /// The maximum absolute value in degrees.
  var limit: Double { self == .longitude ? 180 : 90 }

  /// Returns an error message for degrees out of range, else nil.
  ///
  /// - Parameters:
  ///   - degrees: The degrees.
  ///   - quoted: The text of the degrees in the file.
  /// - Returns: The message without the name of the field.
  func error(_ degrees: Double, quoted: @autoclosure () -> String) -> String? {
    if abs(CoordinateRange.snapped(degrees, to: limit)) <= limit { return nil }
    let hint =
      abs(degrees) > 360
      ? " (--crs names another reference system of the file)"
      : self == .longitude ? " (--wrap takes it)" : ""
    return "\(self) \(quoted()) is not within -\(Int(limit))…\(Int(limit)) degrees\(hint)"
  }
}

/// The location of a record whose longitude and latitude are separate fields.
struct LocationFields {
  private var longitude: Double?
  private var latitude: Double?

  /// The degrees of an axis; nil if the record has none.
  subscript(_ axis: Axis) -> Double? {
    get { axis == .longitude ? longitude : latitude }
    set {
      switch axis {
      case .longitude: longitude = newValue
      case .latitude: latitude = newValue
      }
    }
  }

  /// Converts coordinates of another system to degrees.
  ///
  /// - Parameter transformation: The conversion.
  /// - Throws: ``Rejection`` if they have no counterpart in WGS 84.
  mutating func convert(_ transformation: CoordinateTransformation) throws(Rejection) {
    guard let x = longitude, let y = latitude else { return }
    guard let degrees = transformation.degrees(x, y) else {
      throw Rejection(reason: "the coordinates \(x), \(y) have no counterpart in WGS 84")
    }
    (longitude, latitude) = degrees
  }

  /// Writes the location to a row; nothing if the record has none.
  ///
  /// - Parameters:
  ///   - row: The row of the record.
  ///   - columns: The columns of the location.
  /// - Throws: ``Rejection`` if only one coordinate is present, or a coordinate is out of range.
  func write(to row: inout ImportRow, in columns: GeometryColumns?) throws(Rejection) {
    switch (longitude, latitude) {
    case (let longitude?, let latitude?):
      do throws(CoordinateProblem) {
        columns?.write(try TypedPoint(longitude: longitude, latitude: latitude), to: &row)
      } catch {
        throw Rejection(reason: error.sentence)
      }
    case (nil, nil): break
    case (nil, _): throw Rejection(reason: "there is a latitude but no longitude")
    case (_, nil): throw Rejection(reason: "there is a longitude but no latitude")
    }
  }
}

/// The use of the geometries of records, apart from columns with coordinates or text.
package enum GeometryUse: Sendable {
  /// Geometries are stored: all as `geometry` if there are others than points or the class has this
  /// property, else as `location`.
  case stored
  /// Geometries are ignored, and no columns become a location.
  case ignored
  /// The centroids are stored as `location`.
  case centroid
}

/// The treatment of geometries that are invalid, such as polygons whose rings cross.
package enum InvalidShapes: String, Sendable, CaseIterable {
  /// The row is rejected with the reason.
  case reject
  /// The geometry is stored as it is.
  case keep
  /// The geometry is made valid in longitude and latitude; polygons stay polygons.
  case repair

  /// Returns the geometry to store.
  ///
  /// - Parameters:
  ///   - geometry: The geometry of a record.
  ///   - field: The name of the field, for messages.
  /// - Returns: The geometry, or a repaired one.
  /// - Throws: ``Rejection`` with the violated rule and its location.
  func checked(_ geometry: Geometry, field: String) throws(Rejection) -> Geometry {
    guard self != .keep, let fault = geometry.invalidityReason(edges: .spherical) else {
      return geometry
    }
    if self == .repair {
      do throws(GeometryError) {
        return try geometry.madeValid()
      } catch {
        throw Rejection(field: field, reason: "the geometry cannot be repaired: \(error)")
      }
    }
    throw Rejection(
      field: field,
      reason: "the geometry is invalid: \(fault) (--on-invalid repair|keep takes it)")
  }
}
