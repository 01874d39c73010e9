import CadastreStore

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
    if abs(degrees) <= limit { return nil }
    return "\(self) \(quoted()) is not within -\(Int(limit))…\(Int(limit)) degrees"
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
  ///   - place: The columns of the location.
  /// - Throws: ``Rejection`` if only one coordinate is present, or a coordinate is out of range.
  func write(to row: inout ImportRow, in place: PlaceColumns?) throws(Rejection) {
    switch (longitude, latitude) {
    case (let longitude?, let latitude?):
      do throws(CoordinateProblem) {
        place?.write(try TypedPoint(longitude: longitude, latitude: latitude), to: &row)
      } catch {
        throw Rejection(reason: error.sentence)
      }
    case (nil, nil): break
    case (nil, _): throw Rejection(reason: "there is a latitude but no longitude")
    case (_, nil): throw Rejection(reason: "there is a longitude but no latitude")
    }
  }
}
