import CadastreStore

/// One of the two numbers of a place on the Earth.
enum Axis: String {
  case longitude, latitude

  /// The largest number of degrees, to either side of zero.
  var limit: Double { self == .longitude ? 180 : 90 }

  /// Why degrees are none of this axis; nil where they are.
  ///
  /// - Parameters:
  ///   - degrees: The degrees.
  ///   - shown: The degrees as the file has them.
  /// - Returns: What is wrong, without the name of a field.
  func fault(_ degrees: Double, shown: @autoclosure () -> String) -> String? {
    if abs(degrees) <= limit { return nil }
    return "\(self) \(shown()) is not within -\(Int(limit))…\(Int(limit)) degrees"
  }
}

/// A place whose longitude and latitude are fields of their own, met one after the other.
struct PlaceFields {
  private var longitude: Double?
  private var latitude: Double?

  /// What a record says of an axis; nil where it says nothing.
  subscript(_ axis: Axis) -> Double? {
    get { axis == .longitude ? longitude : latitude }
    set {
      switch axis {
      case .longitude: longitude = newValue
      case .latitude: latitude = newValue
      }
    }
  }

  /// Writes the place into its owner's row, or nothing where the record has none.
  ///
  /// - Throws: `Refusal`, where there is one number of the two.
  func write(to row: inout ImportRow, in layout: EmbeddedLayout?) throws(Refusal) {
    switch (longitude, latitude) {
    case (let longitude?, let latitude?):
      layout?.write(longitude: longitude, latitude: latitude, to: &row)
    case (nil, nil): break
    case (nil, _): throw Refusal(reason: "there is a latitude and no longitude")
    case (_, nil): throw Refusal(reason: "there is a longitude and no latitude")
    }
  }
}
