import CadastreGeometry

/// The reason why the geometry of a record is not read.
struct GeometryProblem: Error {
  /// A clause that follows "the geometry is invalid:".
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }

  init(_ error: GeometryError) { sentence = "\(error)" }
}

extension GeoPosition {
  /// Creates a position from the numbers of a file; an altitude that is not a number is none.
  ///
  /// - Throws: ``GeometryProblem`` if a coordinate is out of range or no number.
  init(x: Double, y: Double, z: Double?) throws(GeometryProblem) {
    let altitude = z.flatMap { $0.isNaN ? nil : $0 }
    guard let position = GeoPosition(longitude: x, latitude: y, altitude: altitude) else {
      throw GeometryProblem(
        "found the coordinates \(x), \(y)\(altitude.map { ", \($0)" } ?? ""); expected a longitude "
          + "from -180 to 180 and a latitude from -90 to 90 in WGS 84")
    }
    self = position
  }
}

extension Geometry {
  /// Creates a geometry of positions; nil if there are none.
  ///
  /// - Throws: ``GeometryProblem`` if a line is too short or a ring is not closed.
  static func unlessEmpty(_ shape: Shape) throws(GeometryProblem) -> Geometry? {
    do throws(GeometryError) {
      let geometry = try Geometry(shape)
      return geometry.isEmpty ? nil : geometry
    } catch {
      throw GeometryProblem(error)
    }
  }
}
