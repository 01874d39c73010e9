import CadastreFormatting

/// What is wrong with a Shapefile or one of its records; offsets are bytes of unpacked content.
package enum ShapefileProblem: Hashable, Sendable {
  /// The first bytes are not those of the part that the name promises.
  case notThePart(expected: String)
  /// The file ends before what its lengths and counts announce.
  case cutOff(byteOffset: Int)
  /// The file goes on behind the length that its header states.
  case longerThanStated(bytes: Int)
  /// The file's header states a length that no file has.
  case statedLength(bytes: Int)
  /// The file holds something else than points.
  case shapeType(name: String)
  /// A record stands where another number was due, so that lengths before it are wrong.
  case outOfStep(expected: Int, found: Int, byteOffset: Int)
  /// A record states a length that leads out of the file.
  case recordLength(bytes: Int, byteOffset: Int)
  /// A record's length is not the one of its shape.
  case shapeLength(name: String, bytes: Int)
  /// A record's shape is of another type than the file's.
  case otherShape(name: String, expected: String)
  /// A multipoint that is not a single point.
  case severalPoints(count: Int)
  /// A record's coordinates name no place.
  case place(PlaceProblem)
  /// The table's header contradicts itself, or is of a kind that is not read.
  case tableHeader(detail: String)
  /// A field is of a type that is not read.
  case fieldType(field: String, type: String)
  /// The table has so many rows, and there are more shapes.
  case missingRows(rows: Int)
  /// The table has more rows than there are shapes.
  case missingShapes(shapes: Int, rows: Int)
  /// A record is marked neither as there nor as deleted.
  case recordMark(byte: UInt8)
  /// A value is not what its field's type says.
  case value(field: String, text: String, expected: String)
  /// A text is not in the encoding of the file.
  case text(field: String, encoding: String)
  /// The encoding is not known here.
  case encoding(name: String)
  /// The coordinates are in another reference system; a command that converts them.
  case referenceSystem(name: String, command: String)
}

extension ShapefileProblem {
  var sentence: String {
    switch self {
    case .notThePart(let expected):
      "does not begin as a \(expected) does; expected that part of a Shapefile"
    case .cutOff(let byteOffset): "is cut off at byte \(byteOffset); get the file again"
    case .longerThanStated(let bytes): "goes on behind the \(bytes) bytes that its header states"
    case .statedLength(let bytes): "its header states a length of \(bytes) bytes"
    case .shapeType(let name): "holds shapes of type \(name); points are read"
    case .outOfStep(let expected, let found, let byteOffset):
      "at byte \(byteOffset) stands record \(found); expected record \(expected), so a length "
        + "before it is wrong"
    case .recordLength(let bytes, let byteOffset):
      "the record at byte \(byteOffset) states a length of \(bytes) bytes, which leads out of the "
        + "file"
    case .shapeLength(let name, let bytes): "a \(name) of \(bytes) bytes"
    case .otherShape(let name, let expected): "its shape is of type \(name); expected \(expected)"
    case .severalPoints(let count): "holds \(counted(count, "point")); expected one"
    case .place(let problem): problem.sentence
    case .tableHeader(let detail): "its header \(detail)"
    case .fieldType(let field, let type):
      "field '\(printable(field))' is of the type \(printable(type)), which is not read; expected "
        + "C, N, F, L or D"
    case .missingRows(let rows):
      "ends after \(counted(rows, "row")); expected one for every shape, of which there are more"
    case .missingShapes(let shapes, let rows):
      "has \(counted(rows, "row")) beside \(counted(shapes, "shape")); expected one for every shape"
    case .recordMark(let byte):
      "begins with the byte \(byte); expected a blank, or * if the record is deleted"
    case .value(let field, let text, let expected):
      "'\(printable(text))' in field '\(printable(field))' is not \(expected)"
    case .text(let field, let encoding):
      "the text in field '\(printable(field))' is not \(encoding); a .cpg file beside it would "
        + "name another encoding"
    case .encoding(let name):
      "names the encoding '\(printable(name))', which is not known; expected UTF-8, ISO-8859-1, "
        + "1252 or another code page"
    case .referenceSystem(let name, let command):
      "its coordinates are in '\(printable(name))'; expected longitude and latitude on WGS 84: "
        + printable(command)
    }
  }
}
