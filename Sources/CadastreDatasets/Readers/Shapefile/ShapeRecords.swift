/// A reader of the shapes of a Shapefile.
///
/// The index, the .shx file, is not needed, because every record declares its length.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Organization of the Main File".
final class ShapeRecords {
  let input: BinaryInput
  private let type: ShapeType
  private let declaredBytes: Int
  /// The number of shapes read.
  private(set) var count = 0
  /// The number of the first record: 1, or 0 in files of some programs.
  private var firstNumber = 1

  /// The content of a record.
  enum Shape {
    case point(TypedPoint?)
    case problem(ShapefileProblem)
  }

  private static let fileCode: Int32 = 9994
  private static let headerBytes = 100
  private static let recordHeaderBytes = 8

  /// Opens the .shp file and reads its header.
  init(path: String) throws(DatasetError) {
    input = try BinaryInput(path: path)
    guard let code = try input.take(4)?.bigEndian(at: 0, as: Int32.self), code == Self.fileCode
    else { throw DatasetError(path: path, problem: .shapefile(.notThePart(expected: ".shp"))) }
    // The following offsets are four less than in the specification.
    guard let header = try input.take(Self.headerBytes - 4) else {
      throw DatasetError(path: path, problem: .shapefile(.truncated(byteOffset: input.offset)))
    }
    declaredBytes = Int(header.bigEndian(at: 20, as: Int32.self)) * 2
    let number = header.littleEndian(at: 28, as: Int32.self)
    guard let type = ShapeType(rawValue: number) else {
      throw DatasetError(
        path: path, problem: .shapefile(.shapeType(name: ShapeType.name(number))))
    }
    self.type = type
    guard declaredBytes >= Self.headerBytes else {
      throw fileError(.declaredLength(bytes: declaredBytes))
    }
  }

  /// Reads the next shape; returns nil at the end.
  func next() throws(DatasetError) -> Shape? {
    let start = input.offset
    guard start < declaredBytes else {
      guard try !input.has(1) else { throw fileError(.longerThanDeclared(bytes: declaredBytes)) }
      return nil
    }
    guard declaredBytes - start >= Self.recordHeaderBytes,
      let header = try input.take(Self.recordHeaderBytes)
    else { throw fileError(.truncated(byteOffset: start)) }
    let number = Int(header.bigEndian(at: 0, as: Int32.self))
    let length = Int(header.bigEndian(at: 4, as: Int32.self)) * 2
    if count == 0, number == 0 { firstNumber = 0 }
    guard number == count + firstNumber else {
      throw fileError(
        .recordNumber(expected: count + firstNumber, found: number, byteOffset: start))
    }
    guard length >= 4, length <= declaredBytes - input.offset else {
      throw fileError(.recordLength(bytes: length, byteOffset: start))
    }
    count += 1
    return try shape(length)
  }

  /// Reads the complete content of a record.
  private func shape(_ length: Int) throws(DatasetError) -> Shape {
    // A single point has at most 104 bytes; longer records are identified by their first bytes.
    let inspected = min(length, 128)
    guard let content = try input.take(inspected) else {
      throw fileError(.truncated(byteOffset: input.offset))
    }
    let shape = shape(content, length)
    guard try input.skip(length - inspected) else {
      throw fileError(.truncated(byteOffset: input.offset))
    }
    return shape
  }

  private func shape(_ content: UnsafeRawBufferPointer, _ length: Int) -> Shape {
    let number = content.littleEndian(at: 0, as: Int32.self)
    guard let shape = ShapeType(rawValue: number), shape == type || shape == .null else {
      return .problem(.otherShape(name: ShapeType.name(number), expected: type.name))
    }
    if shape.isMultiple, length >= ShapeType.countOffset + 4 {
      let points = Int(content.littleEndian(at: ShapeType.countOffset, as: Int32.self))
      guard points == 1 else { return .problem(.severalPoints(count: points)) }
    }
    guard shape.recordLengths.contains(length) else {
      return .problem(.shapeLength(name: shape.name, bytes: length))
    }
    guard shape != .null else { return .point(nil) }
    do throws(CoordinateProblem) {
      return .point(
        try TypedPoint(
          longitude: content.littleEndianDouble(at: shape.coordinatesOffset),
          latitude: content.littleEndianDouble(at: shape.coordinatesOffset + 8),
          altitude: shape.altitudeOffset.map { content.littleEndianDouble(at: $0) }))
    } catch {
      return .problem(.coordinates(error))
    }
  }

  private func fileError(_ problem: ShapefileProblem) -> DatasetError {
    DatasetError(path: input.file.path, problem: .shapefile(problem))
  }
}
