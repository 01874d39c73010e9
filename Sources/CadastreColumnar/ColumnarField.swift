package import CadastreGeometry
package import CadastreModel

/// A column of a file, or a member of a nested record.
package struct ColumnarField: Hashable, Sendable {
  /// The name.
  package var name: String
  /// The type of its values.
  package var type: ColumnarType
  /// Whether a value may be null.
  package var isOptional: Bool
  /// The form of dates in the file.
  package var dates = DateForm.microseconds

  /// Creates a field.
  package init(name: String, type: ColumnarType, isOptional: Bool) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }
}

/// The type of the values of a field.
package indirect enum ColumnarType: Hashable, Sendable {
  /// A single value.
  case scalar(PropertyType)
  /// Every value is null.
  case nothing
  /// A record with named members.
  case record([ColumnarField])
  /// A list; `isOptional` says whether elements may be null.
  case list(ColumnarType, isOptional: Bool)
  /// A map; `isOptional` says whether values may be null.
  case map(key: ColumnarType, value: ColumnarType, isOptional: Bool)
}

/// A value of a field.
package indirect enum ColumnarValue: Hashable, Sendable {
  /// A single value, or null.
  case value(Value)
  /// The members of a record, in the order of its fields.
  case record([ColumnarValue])
  /// The elements of a list.
  case list([ColumnarValue])
  /// The entries of a map.
  case map([Entry])

  /// An entry of a map.
  package struct Entry: Hashable, Sendable {
    package var key: ColumnarValue
    package var value: ColumnarValue

    /// Creates an entry.
    package init(key: ColumnarValue, value: ColumnarValue) {
      self.key = key
      self.value = value
    }
  }

  /// Whether the value is null.
  package var isNull: Bool { if case .value(.null) = self { true } else { false } }
}

/// A record of a file.
package struct ColumnarRecord: Hashable, Sendable {
  /// The values, in the order of the fields of the reader.
  package var values: [ColumnarValue] = []
  /// The point; nil if the geometry is null, empty or of another type.
  package var point: ColumnarPoint?
  /// The geometry; nil if it is null, empty or a point.
  package var geometry: Geometry?
  /// The error in the geometry; nil if the geometry is valid or null.
  package var geometryProblem: String?
  /// The number of the record in the file, from 1.
  package var number = 0

  /// Creates an empty record.
  package init() {}

  /// Sets the point to one of the file, whose coordinates are converted.
  mutating func set(_ point: ColumnarPoint, _ conversion: GeometryConversion?) {
    guard let degrees = conversion?.degrees else {
      self.point = point
      return
    }
    guard let (longitude, latitude) = degrees(point.x, point.y) else {
      geometryProblem = "the coordinates \(point.x), \(point.y) have no counterpart in WGS 84"
      return
    }
    self.point = ColumnarPoint(x: longitude, y: latitude, z: point.z)
  }

  /// Removes the values and the geometry, and keeps the memory.
  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    (point, geometry, geometryProblem) = (nil, nil, nil)
  }
}

/// The coordinates of a point, as in the file.
package struct ColumnarPoint: Hashable, Sendable {
  /// The longitude, or easting.
  package var x: Double
  /// The latitude, or northing.
  package var y: Double
  /// The altitude; nil if the file has none.
  package var z: Double?

  /// Creates a point.
  package init(x: Double, y: Double, z: Double? = nil) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// The envelope of the point alone.
  var envelope: Envelope {
    Envelope(west: x, south: y, east: x, north: y)
  }
}

extension Envelope {
  /// The bounds in the order of GeoParquet and FlatGeobuf: xmin, ymin, xmax, ymax.
  var sides: [Double] { [west, south, east, north] }
}
