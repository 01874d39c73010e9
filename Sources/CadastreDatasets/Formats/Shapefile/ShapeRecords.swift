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
  /// Whether all shapes are read as null.
  var ignoresShapes = false
  private let type: ShapeType
  /// The length of the file according to its header.
  private let declaredBytes: Int
  private let remarks: ReaderNotices
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
  init(path: String, _ remarks: ReaderNotices) throws(DatasetError) {
    input = try BinaryInput(path: path)
    self.remarks = remarks
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
  }

  /// Reads the next shape; returns nil at the end.
  func next() throws(DatasetError) -> Shape? {
    let start = input.offset
    if start >= declaredBytes, try !hasRecord() { return nil }
    guard let header = try input.take(Self.recordHeaderBytes) else {
      // The missing bytes are fewer than those of a record.
      guard count > 0, declaredBytes - start < Self.recordHeaderBytes + 4 else {
        throw fileError(.truncated(byteOffset: start))
      }
      remarks.add(
        "the header declares a greater length than that of the file, which has all records")
      return nil
    }
    let (number, length) = Self.recordHeader(header)
    if count == 0, number == 0 { firstNumber = 0 }
    if number == 0, count > 0 { remarks.add("record numbers of 0 are passed over") }
    guard number == count + firstNumber || number == 0 else {
      throw fileError(
        .recordNumber(expected: count + firstNumber, found: number, byteOffset: start))
    }
    guard length >= 4, let content = try content(length) else {
      let isCut = length >= 4 && length <= declaredBytes - start - Self.recordHeaderBytes
      throw fileError(
        isCut
          ? .truncated(byteOffset: input.offset)
          : .recordLength(bytes: length, byteOffset: start))
    }
    count += 1
    return content.withUnsafeBytes { shape($0) }
  }

  /// Returns the number of a record and the length of its content in bytes.
  private static func recordHeader(
    _ bytes: UnsafeRawBufferPointer
  ) -> (number: Int, length: Int) {
    (
      Int(bytes.bigEndian(at: 0, as: Int32.self)),
      Int(bytes.bigEndian(at: 4, as: Int32.self)) * 2
    )
  }

  /// Returns whether the next record begins where the file ends according to its header.
  private func hasRecord() throws(DatasetError) -> Bool {
    let smaller = "the header declares a smaller length than that of the file, which is read whole"
    guard try input.has(1) else {
      if input.offset > declaredBytes { remarks.add(smaller) }
      return false
    }
    let next = try input.peek(Self.recordHeaderBytes).map(Self.recordHeader)
    if let next, [count + firstNumber, 0].contains(next.number), next.length >= 4 {
      remarks.add(smaller)
      return true
    }
    // Where the header cannot be right, a wrong number is that of a damaged record, which next() reports.
    let isEnd = declaredBytes == input.offset && declaredBytes >= Self.headerBytes
    if let next, !isEnd, next != (0, 0) { return true }
    remarks.add("the bytes after the last record are passed over")
    return false
  }

  /// Takes the content of a record; nil if the file has fewer bytes.
  private func content(_ length: Int) throws(DatasetError) -> [UInt8]? {
    if let total = input.file.totalBytes, !input.file.isCompressed, length > total { return nil }
    var bytes: [UInt8] = []
    var left = length
    while left > 0 {
      let count = min(left, BinaryInput.maximumCount)
      // A length that exceeds the file ends here, before more memory is allocated.
      guard let content = try input.take(count) else { return nil }
      bytes.append(contentsOf: content)
      left -= count
    }
    return bytes
  }

  private func shape(_ content: UnsafeRawBufferPointer) -> Shape {
    if ignoresShapes { return .geometry(nil) }
    let number = content.littleEndian(at: 0, as: Int32.self)
    guard let shape = ShapeType(rawValue: number), shape == type || shape == .null else {
      return .problem(.otherShape(name: ShapeType.name(number), expected: type.name))
    }
    do throws(ShapefileProblem) {
      if let form = shape.form {
        let geometry = try ShapeContent(content, shape, transformation, remarks).geometry(form)
        if let point = geometry?.point { return .point(TypedPoint(point)) }
        return .geometry(geometry)
      }
      if shape == .null, content.count > 4 {
        remarks.add("null shapes have more bytes than they need")
      }
      guard let bytes = shape.pointBytes, content.count >= bytes else {
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

/// The shape types that are read; the raw values are the codes in the file.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Shape Type".
enum ShapeType: Int32 {
  case null = 0
  case point = 1
  case polyLine = 3
  case polygon = 5
  case multiPoint = 8
  case pointZ = 11
  case polyLineZ = 13
  case polygonZ = 15
  case multiPointZ = 18
  case pointM = 21
  case polyLineM = 23
  case polygonM = 25
  case multiPointM = 28

  /// Returns the name of any shape type.
  static func name(_ number: Int32) -> String {
    switch number {
    case 0: "Null"
    case 1: "Point"
    case 3: "PolyLine"
    case 5: "Polygon"
    case 8: "MultiPoint"
    case 11: "PointZ"
    case 13: "PolyLineZ"
    case 15: "PolygonZ"
    case 18: "MultiPointZ"
    case 21: "PointM"
    case 23: "PolyLineM"
    case 25: "PolygonM"
    case 28: "MultiPointM"
    case 31: "MultiPatch"
    default: "\(number)"
    }
  }

  var name: String { Self.name(rawValue) }

  /// The length of a record with a single point without its measure, in bytes; nil if it has parts.
  var pointBytes: Int? {
    switch self {
    case .null: 4
    case .point, .pointM: 20
    case .pointZ: 28
    default: nil
    }
  }

  /// Whether positions have altitudes.
  var hasAltitude: Bool {
    switch self {
    case .pointZ, .polyLineZ, .polygonZ, .multiPointZ: true
    default: false
    }
  }

  /// The form of a record with several positions; nil for a single point.
  var form: Form? {
    switch self {
    case .null, .point, .pointZ, .pointM: nil
    case .polyLine, .polyLineZ, .polyLineM: .lines
    case .polygon, .polygonZ, .polygonM: .rings
    case .multiPoint, .multiPointZ, .multiPointM: .points
    }
  }

  /// The meaning of the positions of a record.
  enum Form { case points, lines, rings }
}

/// The content of a record with several positions: bounds, parts, positions, then altitudes.
///
/// Source: ESRI, "ESRI Shapefile Technical Description", July 1998, "Shape Types in X,Y Space".
struct ShapeContent {
  private let bytes: UnsafeRawBufferPointer
  private let type: ShapeType
  private let transformation: CoordinateTransformation?
  private let remarks: ReaderNotices

  /// The offset of the counts, after type and bounding box.
  private static let countOffset = 36

  init(
    _ bytes: UnsafeRawBufferPointer, _ type: ShapeType,
    _ transformation: CoordinateTransformation? = nil, _ remarks: ReaderNotices = ReaderNotices()
  ) {
    self.remarks = remarks
    self.bytes = bytes
    self.type = type
    self.transformation = transformation
  }

  /// Returns the geometry; nil if it has no positions.
  func geometry(_ form: ShapeType.Form) throws(ShapefileProblem) -> Geometry? {
    var parts = try parts(form)
    if parts.isEmpty { return nil }
    if form == .rings { close(&parts) }
    let shape: Geometry.Shape =
      switch form {
      case .points:
        parts[0].count == 1 ? .point(parts[0][0]) : .multiPoint(parts[0])
      case .lines:
        parts.count == 1 ? .lineString(parts[0]) : .multiLineString(parts)
      case .rings: Geometry.Shape.multiPolygon(RingNesting(parts).polygons).simplified
      }
    do throws(GeometryError) {
      return try Geometry(shape)
    } catch {
      throw .geometry(error.description)
    }
  }

  /// Repeats the first position of each ring that is not closed at its end.
  private func close(_ rings: inout [[GeoPosition]]) {
    for index in rings.indices where rings[index].first != rings[index].last {
      rings[index].append(rings[index][0])
      remarks.add("open rings of polygons are closed")
    }
  }

  private func parts(_ form: ShapeType.Form) throws(ShapefileProblem) -> [[GeoPosition]] {
    let hasParts = form != .points
    let partCount = hasParts ? try count(at: Self.countOffset) : 1
    let pointCount = try count(at: Self.countOffset + (hasParts ? 4 : 0))
    let partOffset = Self.countOffset + (hasParts ? 8 : 4)
    // The counts are compared with the length before they are multiplied.
    guard partCount <= bytes.count / 4, pointCount <= bytes.count / 16 else { throw wrongLength }
    let pointOffset = partOffset + (hasParts ? 4 * partCount : 0)
    let altitudeOffset = pointOffset + 16 * pointCount + 16
    let length = type.hasAltitude ? altitudeOffset + 8 * pointCount : pointOffset + 16 * pointCount
    guard bytes.count >= length else { throw wrongLength }
    if pointCount == 0 { return [] }
    var starts = [0]
    if hasParts {
      starts = (0..<partCount).map {
        Int(bytes.littleEndian(at: partOffset + 4 * $0, as: Int32.self))
      }
    }
    starts.append(pointCount)
    guard starts.first == 0, zip(starts, starts.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw .geometry("its parts are not in order")
    }
    var parts: [[GeoPosition]] = []
    for (start, end) in zip(starts, starts.dropFirst()) where start < end {
      var part: [GeoPosition] = []
      for index in start..<end {
        part.append(
          try position(
            at: pointOffset + 16 * index,
            altitude: type.hasAltitude ? altitudeOffset + 8 * index : nil))
      }
      parts.append(part)
    }
    return parts
  }

  private func position(at offset: Int, altitude: Int?) throws(ShapefileProblem) -> GeoPosition {
    let (x, y) = (
      bytes.littleEndianDouble(at: offset), bytes.littleEndianDouble(at: offset + 8)
    )
    do throws(CoordinateProblem) {
      let point = try TypedPoint(
        x, y, altitude: altitude.map { bytes.littleEndianDouble(at: $0) }, transformation)
      if let position = GeoPosition(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude)
      {
        return position
      }
    } catch {
      throw .coordinates(error)
    }
    throw .coordinates(.outOfRange(longitude: x, latitude: y))
  }

  private func count(at offset: Int) throws(ShapefileProblem) -> Int {
    guard bytes.count >= offset + 4 else { throw wrongLength }
    let count = Int(bytes.littleEndian(at: offset, as: Int32.self))
    guard count >= 0 else { throw wrongLength }
    return count
  }

  private var wrongLength: ShapefileProblem {
    .shapeLength(name: type.name, bytes: bytes.count)
  }
}

extension Geometry.Shape {
  /// A multi-polygon of one polygon as that polygon.
  fileprivate var simplified: Geometry.Shape {
    if case .multiPolygon(let polygons) = self, polygons.count == 1 {
      .polygon(polygons[0])
    } else {
      self
    }
  }
}

/// The grouping of the rings of a Shapefile record into polygons.
///
/// A ring inside of an exterior ring is a hole, and a ring inside of a hole is an exterior ring again.
/// The directions of rings, which the format defines, are not used: some programs write all rings in one
/// direction, or both in the wrong one.
struct RingNesting {
  private let rings: [[GeoPosition]]
  /// Twice the area of each ring in longitude and latitude.
  private let areas: [Double]

  /// Creates the grouping of closed rings.
  init(_ rings: [[GeoPosition]]) {
    self.rings = rings
    areas = rings.map { ring in
      abs(
        zip(ring, ring.dropFirst()).reduce(0) {
          $0 + ($1.0.longitude * $1.1.latitude - $1.1.longitude * $1.0.latitude)
        })
    }
  }

  /// The polygons in the order of their exterior rings, each with its holes in their order.
  ///
  /// - Complexity: O(n log n) for n positions, if few bounding boxes of rings are nested.
  var polygons: [[[GeoPosition]]] {
    guard rings.count > 1 else { return rings.map { [$0] } }
    let owners = owners
    var holes: [Int: [[GeoPosition]]] = [:]
    for (index, owner) in owners.enumerated() {
      if let owner { holes[owner, default: []].append(rings[index]) }
    }
    return rings.indices.filter { owners[$0] == nil }.map { [rings[$0]] + holes[$0, default: []] }
  }

  /// The exterior ring of each hole; nil for an exterior ring.
  private var owners: [Int?] {
    // A ring that is too short or open is not a polygon; the geometry is rejected.
    let shapes = rings.map { ring in
      (try? Geometry(.polygon([ring]))).map { PreparedGeometry($0, edges: .planar) }
    }
    var owners = [Int?](repeating: nil, count: rings.count)
    guard let index = EnvelopeIndex(shapes.map { $0?.envelopes ?? [] }) else {
      return owners
    }
    // Larger rings first; equal ones in their order.
    let order = rings.indices.sorted { (-areas[$0], $0) < (-areas[$1], $1) }
    var rank = [Int](repeating: 0, count: rings.count)
    for (index, ring) in order.enumerated() { rank[ring] = index }
    for ring in order {
      guard let shape = shapes[ring], let envelope = shape.bounds else { continue }
      // The smallest ring around this one.
      var innermost: Int?
      _ = index.contains(intersecting: envelope) { other in
        if rank[other] < rank[ring], rank[other] > (innermost.map { rank[$0] } ?? -1),
          let around = shapes[other], around.bounds?.encloses(envelope) == true,
          around.covers(shape)
        {
          innermost = other
        }
        return false
      }
      if let innermost, owners[innermost] == nil { owners[ring] = innermost }
    }
    return owners
  }
}

extension Envelope {
  /// Returns whether another envelope is inside of this one.
  fileprivate func encloses(_ other: Envelope) -> Bool {
    west <= other.west && other.east <= east
      && south <= other.south && other.north <= north
  }
}
