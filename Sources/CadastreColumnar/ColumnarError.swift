import CadastreFormatting
import CadastreGeometry

/// An error in reading or writing a columnar file.
///
/// The description names the part of the file, what was found and what was expected.
package struct ColumnarError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  package enum Problem: Hashable, Sendable {
    /// A system call failed; its `errno`.
    case system(Int32)
    /// The path is a directory.
    case directory
    /// The bytes violate the format.
    case corrupt(found: String, expected: String)
    /// The file uses an unsupported feature.
    case unsupported(String)
    /// The content to write violates a limit of the format.
    case notWritable(String)
  }

  /// The part of the file, for example a column; nil for the whole file.
  package var part: String?
  /// The offset of the problem in the file, in bytes; nil if it is unknown.
  package var offset: Int?
  /// The problem.
  package var problem: Problem

  /// Creates an error.
  package init(_ problem: Problem, part: String? = nil, offset: Int? = nil) {
    self.problem = problem
    self.part = part
    self.offset = offset
  }

  /// Creates an error for bytes that violate the format.
  static func corrupt(
    found: String, expected: String, part: String? = nil, offset: Int? = nil
  ) -> ColumnarError {
    ColumnarError(.corrupt(found: found, expected: expected), part: part, offset: offset)
  }

  /// Creates an error for an unsupported feature.
  static func unsupported(_ detail: String, part: String? = nil) -> ColumnarError {
    ColumnarError(.unsupported(detail), part: part)
  }

  /// Returns the error with a part; an error that names a part already stays the same.
  func within(_ part: @autoclosure () -> String) -> ColumnarError {
    guard self.part == nil else { return self }
    var error = self
    error.part = part()
    return error
  }

  /// One clause: the part, what was found and what was expected.
  package var description: String {
    var location = part.map { printable($0) } ?? ""
    if let offset { location += (location.isEmpty ? "" : ", ") + "byte \(offset)" }
    return (location.isEmpty ? "" : location + ": ") + sentence
  }

  private var sentence: String {
    switch problem {
    case .system(let number): "cannot be read (system error \(number))"
    case .directory: "is a directory; expected a file"
    case .corrupt(let found, let expected):
      "found \(printable(found)); expected \(printable(expected))"
    case .unsupported(let detail): "\(printable(detail)), which is not supported"
    case .notWritable(let detail): printable(detail)
    }
  }
}

/// An error in the geometry of a record.
struct GeometryProblem: Error {
  /// A clause that follows "the geometry is invalid:".
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }

  init(_ error: GeometryError) { sentence = "\(error)" }
}

extension GeoPosition {
  /// Creates a position from the coordinates in a file; an altitude that is NaN becomes nil.
  ///
  /// - Throws: ``GeometryProblem`` if a coordinate is out of range or NaN.
  init(
    x: Double, y: Double, z: Double?, _ conversion: GeometryConversion?
  ) throws(GeometryProblem) {
    let altitude = z.flatMap { $0.isNaN ? nil : $0 }
    guard let position = GeoPosition(x, y, altitude: altitude, conversion) else {
      throw GeometryProblem(
        "found the coordinates \(x), \(y)\(altitude.map { ", \($0)" } ?? ""); expected a longitude "
          + "from -180 to 180 and a latitude from -90 to 90 in WGS 84")
    }
    self = position
  }
}

extension Geometry {
  /// Creates the geometry of a shape; returns nil if it is empty.
  ///
  /// - Throws: ``GeometryProblem`` if a line is too short or a ring is not closed.
  static func unlessEmpty(
    _ shape: Shape, _ conversion: GeometryConversion?
  ) throws(GeometryProblem) -> Geometry? {
    do throws(GeometryError) {
      let geometry = try Geometry(shape, conversion)
      return geometry.isEmpty ? nil : geometry
    } catch {
      throw GeometryProblem(error)
    }
  }
}
