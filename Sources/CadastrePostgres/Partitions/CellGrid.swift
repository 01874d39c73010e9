import CadastreGeometry

/// A grid of square cells in degrees, numbered by rows from the south and columns from the west.
struct CellGrid: Hashable, Sendable, Codable {
  /// The side of a cell in degrees, which divides 180.
  let degrees: Int

  init(degrees: Int) { self.degrees = degrees }

  /// Reads a grid; one with another side than ``sides`` is an error.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    degrees = try members.decode(Int.self, forKey: .degrees)
    guard Self.sides.contains(degrees) else {
      throw DecodingError.dataCorruptedError(
        forKey: .degrees, in: members, debugDescription: "expected one of \(Self.sides) degrees")
    }
  }

  private enum CodingKeys: CodingKey {
    case degrees
  }

  /// The sides that a grid may have, in degrees.
  static let sides = (5...90).filter { 180 % $0 == 0 }

  /// The number of rows without a location, which belong to no cell.
  static let outside: Int64 = -1

  private var columns: Int { 360 / degrees }
  private var rows: Int { 180 / degrees }

  /// The number of cells.
  var count: Int { rows * columns }

  /// The number of the cell that contains a point; ``outside`` for coordinates that are no point.
  func number(longitude: Double, latitude: Double) -> Int64 {
    guard (-180...180).contains(longitude), (-90...90).contains(latitude) else {
      return Self.outside
    }
    return Int64(row(latitude) * columns + column(longitude))
  }

  /// The expression of SQL for the number of the cell of two expressions, which are null or a point.
  func expression(longitude: String, latitude: String) -> String {
    func index(_ value: String, _ offset: Int, _ count: Int) -> String {
      "least(floor((\(value) + \(offset)) / \(degrees)), \(count - 1))"
    }
    return "CASE WHEN \(longitude) IS NULL THEN \(Self.outside) ELSE "
      + "(\(index(latitude, 90, rows)) * \(columns) + \(index(longitude, 180, columns)))::int8 END"
  }

  /// The numbers of all cells with a point of some envelopes, sorted.
  func numbers(covering envelopes: [Envelope]) -> [Int64] {
    var numbers: Set<Int64> = []
    for envelope in envelopes {
      let columns = column(envelope.minLongitude)...column(envelope.maxLongitude)
      for row in row(envelope.minLatitude)...row(envelope.maxLatitude) {
        for column in columns { numbers.insert(Int64(row * self.columns + column)) }
      }
    }
    return numbers.sorted()
  }

  private func column(_ longitude: Double) -> Int {
    Self.index((longitude + 180), columns, degrees)
  }

  private func row(_ latitude: Double) -> Int { Self.index((latitude + 90), rows, degrees) }

  private static func index(_ offset: Double, _ count: Int, _ degrees: Int) -> Int {
    let index = (offset / Double(degrees)).rounded(.down)
    return index >= Double(count) ? count - 1 : index > 0 ? Int(index) : 0
  }
}
