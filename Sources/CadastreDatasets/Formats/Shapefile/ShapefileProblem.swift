import CadastreFormatting

/// An error in a Shapefile or in one of its records; offsets are bytes of the decompressed content.
package enum ShapefileProblem: Error, FormatProblem {
  /// The first bytes are not the signature of the expected part.
  case notThePart(expected: String)
  /// The file is shorter than its lengths and counts declare.
  case truncated(byteOffset: Int)
  /// The file contains shapes other than points, lines and polygons.
  case shapeType(name: String)
  /// A record has another number than expected, so a preceding length is wrong.
  case recordNumber(expected: Int, found: Int, byteOffset: Int)
  /// A record declares a length beyond the end of the file.
  case recordLength(bytes: Int, byteOffset: Int)
  /// The length of a record differs from the length of its shape type.
  case shapeLength(name: String, bytes: Int)
  /// The shape of a record has another type than the file.
  case otherShape(name: String, expected: String)
  /// The parts of a shape are not lines or rings; the reason.
  case geometry(String)
  /// The coordinates of a record are invalid.
  case coordinates(CoordinateProblem)
  /// The header of the table is inconsistent or of an unsupported version.
  case tableHeader(detail: String)
  /// A field has an unsupported type.
  case fieldType(field: String, type: String)
  /// The deletion flag of a record is invalid.
  case recordMark(byte: UInt8)
  /// A value is invalid for the type of its field.
  case value(field: String, text: String, expected: String)
  /// A text is not in the encoding of the file.
  case text(field: String, encoding: String)
  /// The encoding is unknown.
  case encoding(name: String)
  /// The reference system is not WGS 84; a command that converts the file.
  case referenceSystem(name: String, command: String)
}

extension ShapefileProblem {
  /// The error as a clause that follows the location.
  package var sentence: String {
    switch self {
    case .notThePart(let expected):
      "does not begin like a \(expected) file; expected that part of a Shapefile"
    case .truncated(let byteOffset): "is truncated at byte \(byteOffset); get the file again"
    case .shapeType(let name): "contains shapes of type \(name); expected points, lines or polygons"
    case .recordNumber(let expected, let found, let byteOffset):
      "found record \(found) at byte \(byteOffset); expected record \(expected), so the length of a "
        + "preceding record is wrong"
    case .recordLength(let bytes, let byteOffset):
      "the record at byte \(byteOffset) declares a length of \(bytes) bytes, which exceeds the file"
    case .shapeLength(let name, let bytes): "a \(name) cannot have \(bytes) bytes"
    case .otherShape(let name, let expected): "the shape has type \(name); expected \(expected)"
    case .geometry(let detail): "the shape is invalid: \(detail)"
    case .coordinates(let problem): problem.sentence
    case .tableHeader(let detail): "the header \(detail)"
    case .fieldType(let field, let type):
      "field '\(printable(field))' has the unsupported type \(printable(type)); expected "
        + "C, N, F, L or D"
    case .recordMark(let byte):
      "begins with the byte \(byte); expected a blank, or * for a deleted record"
    case .value(let field, let text, let expected):
      "'\(printable(text))' in field '\(printable(field))' is not \(expected)"
    case .text(let field, let encoding):
      "the text in field '\(printable(field))' is not \(encoding); name another encoding in a .cpg "
        + "file"
    case .encoding(let name):
      "names the unknown encoding '\(printable(name))'; expected UTF-8, ISO-8859-1, "
        + "1252 or another code page"
    case .referenceSystem(let name, let command):
      "the coordinates are in '\(printable(name))'; expected longitude and latitude in WGS 84, or "
        + "the library PROJ, which converts them: "
        + printable(command)
    }
  }
}

extension DatasetError.Problem {
  /// An error in a Shapefile.
  package static func shapefile(_ problem: ShapefileProblem) -> Self {
    .format(AnyFormatProblem(problem))
  }
}
