/// The shapes of a Shapefile, one after the other.
///
/// Its index, the .shx file, is not needed: every record states its length.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Organization of the Main File".
final class ShapeRecords {
  let input: BinaryInput
  private let type: ShapeType
  private let statedBytes: Int
  /// Shapes read so far.
  private(set) var count = 0
  /// The number of the first record: 1, or 0 as some programs write it.
  private var firstNumber = 1

  /// What a record says about a place.
  enum Shape {
    case place(TypedPlace?)
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
    // Offsets from here on are four less than in the description.
    guard let header = try input.take(Self.headerBytes - 4) else {
      throw DatasetError(path: path, problem: .shapefile(.cutOff(byteOffset: input.offset)))
    }
    statedBytes = Int(header.bigEndian(at: 20, as: Int32.self)) * 2
    let number = header.littleEndian(at: 28, as: Int32.self)
    guard let type = ShapeType(rawValue: number) else {
      throw DatasetError(
        path: path, problem: .shapefile(.shapeType(name: ShapeType.name(number))))
    }
    self.type = type
    guard statedBytes >= Self.headerBytes else {
      throw fileError(.statedLength(bytes: statedBytes))
    }
  }

  /// The next shape; nil at the end.
  func next() throws(DatasetError) -> Shape? {
    let start = input.offset
    guard start < statedBytes else {
      guard try !input.has(1) else { throw fileError(.longerThanStated(bytes: statedBytes)) }
      return nil
    }
    guard statedBytes - start >= Self.recordHeaderBytes,
      let header = try input.take(Self.recordHeaderBytes)
    else { throw fileError(.cutOff(byteOffset: start)) }
    let number = Int(header.bigEndian(at: 0, as: Int32.self))
    let length = Int(header.bigEndian(at: 4, as: Int32.self)) * 2
    if count == 0, number == 0 { firstNumber = 0 }
    guard number == count + firstNumber else {
      throw fileError(
        .outOfStep(expected: count + firstNumber, found: number, byteOffset: start))
    }
    guard length >= 4, length <= statedBytes - input.offset else {
      throw fileError(.recordLength(bytes: length, byteOffset: start))
    }
    count += 1
    return try shape(length)
  }

  /// Reads the content of a record, all of it.
  private func shape(_ length: Int) throws(DatasetError) -> Shape {
    // The longest single place has 104 bytes; of a longer record the first bytes tell what it is.
    let looked = min(length, 128)
    guard let content = try input.take(looked) else {
      throw fileError(.cutOff(byteOffset: input.offset))
    }
    let shape = shape(content, length)
    guard try input.skip(length - looked) else {
      throw fileError(.cutOff(byteOffset: input.offset))
    }
    return shape
  }

  private func shape(_ content: UnsafeRawBufferPointer, _ length: Int) -> Shape {
    let number = content.littleEndian(at: 0, as: Int32.self)
    guard let found = ShapeType(rawValue: number), found == type || found == .null else {
      return .problem(.otherShape(name: ShapeType.name(number), expected: type.name))
    }
    if found.isMultiple, length >= ShapeType.countOffset + 4 {
      let points = Int(content.littleEndian(at: ShapeType.countOffset, as: Int32.self))
      guard points == 1 else { return .problem(.severalPoints(count: points)) }
    }
    guard found.recordLengths.contains(length) else {
      return .problem(.shapeLength(name: found.name, bytes: length))
    }
    guard found != .null else { return .place(nil) }
    do throws(PlaceProblem) {
      return .place(
        try TypedPlace(
          longitude: content.littleEndianDouble(at: found.placeOffset),
          latitude: content.littleEndianDouble(at: found.placeOffset + 8),
          altitude: found.altitudeOffset.map { content.littleEndianDouble(at: $0) }))
    } catch {
      return .problem(.place(error))
    }
  }

  private func fileError(_ problem: ShapefileProblem) -> DatasetError {
    DatasetError(path: input.file.path, problem: .shapefile(problem))
  }
}
