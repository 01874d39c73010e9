import CadastreModel
import CadastreSQLite

/// Builds one column of a segment from a statement's rows in the order of their keys.
///
/// Numbers are written to their slots; all other values are appended to a vector.
struct SegmentColumnBuilder {
  private enum Form { case integers, doubles, other }

  private let type: PropertyType
  /// The index of the column in the statement's rows.
  private let index: Int
  private let form: Form
  private var integers: [Int64] = []
  private var doubles: [Double] = []
  private var isNull: [Bool] = []
  private var nullCount = Segment.capacity
  private let vector: ColumnVector

  init(_ type: PropertyType, index: Int) {
    self.type = type
    self.index = index
    vector = ColumnVector(type: type)
    switch type {
    case .int, .bool, .object, .linkingObjects:
      form = .integers
      integers = Array(repeating: 0, count: Segment.capacity)
    case .double:
      form = .doubles
      doubles = Array(repeating: 0, count: Segment.capacity)
    case .float, .string, .data, .date, .objectId, .decimal128, .UUID, .geometry, .any:
      form = .other
      vector.reserveCapacity(Segment.capacity)
      return
    }
    isNull = Array(repeating: true, count: Segment.capacity)
  }

  /// Adds the value of the current row, whose slot must be higher than the one before.
  ///
  /// - Returns: The size of text and data so far in bytes.
  @inline(__always)
  mutating func append(_ row: Statement, _ slot: Int) -> Int {
    switch form {
    case .integers:
      guard row.storage(index) == .integer else { return 0 }
      integers[slot] = row.integer(index)
      isNull[slot] = false
      nullCount -= 1
      return 0
    case .doubles:
      guard let value = row.double(index) else { return 0 }
      doubles[slot] = value
      isNull[slot] = false
      nullCount -= 1
      return 0
    case .other:
      vector.pad(to: slot)
      vector.append(row, index)
      return vector.contentBytes
    }
  }

  /// Returns the values of the first slots.
  func column(_ count: Int) -> EncodedColumn {
    if form == .other {
      vector.pad(to: count)
      return EncodedColumn(vector)
    }
    let free = Segment.capacity - count
    return EncodedColumn(
      ColumnVector(
        type: type, isNull: first(count, of: isNull), nullCount: nullCount - free,
        integers: form == .integers ? first(count, of: integers) : [],
        doubles: form == .doubles ? first(count, of: doubles) : []))
  }

  private func first<Element>(_ count: Int, of elements: [Element]) -> [Element] {
    count == elements.count ? elements : Array(elements[..<count])
  }
}
