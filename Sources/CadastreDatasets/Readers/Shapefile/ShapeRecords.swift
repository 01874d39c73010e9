import CadastreGeometry

/// A reader of the shapes of a Shapefile.
///
/// The index, the .shx file, is not needed, because every record declares its length.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Organization of the Main File".
final class ShapeRecords {
  let input: BinaryInput
  /// The conversion of the coordinates; nil for degrees.
  var transformation: CoordinateTransformation?
  private let type: ShapeType
  private let declaredBytes: Int
  /// The number of shapes read.
  private(set) var count = 0
  /// The number of the first record: 1, or 0 in files of some programs.
  private var firstNumber = 1

  /// The content of a record.
  enum Shape {
    case point(TypedPoint?)
    case geometry(Geometry?)
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
    var bytes: [UInt8] = []
    var left = length
    while left > 0 {
      let count = min(left, BinaryInput.maximumCount)
      guard let content = try input.take(count) else {
        throw fileError(.truncated(byteOffset: input.offset))
      }
      // A length that exceeds the file ends here, before more memory is taken.
      bytes.append(contentsOf: content)
      left -= count
    }
    return bytes.withUnsafeBytes { shape($0) }
  }

  private func shape(_ content: UnsafeRawBufferPointer) -> Shape {
    let number = content.littleEndian(at: 0, as: Int32.self)
    guard let shape = ShapeType(rawValue: number), shape == type || shape == .null else {
      return .problem(.otherShape(name: ShapeType.name(number), expected: type.name))
    }
    do throws(ShapefileProblem) {
      if let form = shape.form {
        let geometry = try ShapeContent(content, shape, transformation).geometry(form)
        if let point = geometry?.point { return .point(TypedPoint(point)) }
        return .geometry(geometry)
      }
      guard shape.recordLengths?.contains(content.count) == true else {
        throw .shapeLength(name: shape.name, bytes: content.count)
      }
      return .point(shape == .null ? nil : try point(content, shape))
    } catch {
      return .problem(error)
    }
  }

  private func point(
    _ content: UnsafeRawBufferPointer, _ shape: ShapeType
  ) throws(ShapefileProblem) -> TypedPoint {
    do throws(CoordinateProblem) {
      return try TypedPoint(
        content.littleEndianDouble(at: 4), content.littleEndianDouble(at: 12),
        altitude: shape.hasAltitude ? content.littleEndianDouble(at: 20) : nil, transformation)
    } catch {
      throw .coordinates(error)
    }
  }

  private func fileError(_ problem: ShapefileProblem) -> DatasetError {
    DatasetError(path: input.file.path, problem: .shapefile(problem))
  }
}
