import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// The source of a single value in a row.
enum RowValue {
  /// A column, by its slot.
  case column(Int)
  /// The type of an embedded point.
  case pointType(ColumnRequest.PointSlots)
  /// Measures of the geometry or the date in a column, each of the one before.
  case measure(Int, [ValueMeasure])

  /// The value at the end of a path; nil where there is no single one.
  init?(_ leaf: ColumnRequest.Leaf, _ request: inout ColumnRequest) {
    switch leaf {
    case .value(let place): self = .column(place)
    case .pointType(let point): self = .pointType(request.slots(of: point))
    case .presence, .point, .pointCoordinates, .collection: return nil
    }
  }

  func value(_ batch: borrowing ColumnBatch, _ row: Int) -> Value {
    switch self {
    case .column(let place): batch.columns[place].value(row)
    case .pointType(let point): point.content(batch, row).map { .string($0.type) } ?? .null
    case .measure(let place, let measures):
      measures.reduce(batch.columns[place].value(row)) { $1.value(of: $0) }
    }
  }
}

extension FilterCompiler {
  /// The value at the end of a path, and the slots of the columns that are null where a link on the
  /// path is null; nil where the path must be traversed.
  mutating func rowValue(_ path: BoundPath) throws -> (value: RowValue, linkColumns: [Int])? {
    if let (source, measures) = path.measured, let properties = source.properties {
      guard case (.value(let place), let links) = try request.leaf(properties) else { return nil }
      return (.measure(place, measures), links)
    }
    guard path.isPlain, let properties = path.properties else { return nil }
    let (leaf, links) = try request.leaf(properties)
    return RowValue(leaf, &request).map { ($0, links) }
  }
}

/// Keeps rows that match a comparison of two properties.
struct PropertyFilter: BatchFilter {
  let left: RowValue
  let operation: ComparisonOperator
  let right: RowValue
  let options: StringOptions
  /// Whether one of them is of any type, so that values of different types may be compared.
  let isMixed: Bool

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    rows.keep { holds(left.value(batch, $0), right.value(batch, $0)) }
  }

  private func holds(_ first: Value, _ second: Value) -> Bool {
    if isMixed {
      return first.matches(
        operation, second, options: options, isNaNEqualToItself: true, isNullOrdered: false)
    }
    return switch operation {
    case .equal, .notEqual: isEqual(first, second) == (operation == .equal)
    case .less: order(first, second) == .ascending
    case .greater: order(first, second) == .descending
    case .lessOrEqual: [.ascending, .same].contains(order(first, second))
    case .greaterOrEqual: [.descending, .same].contains(order(first, second))
    case .beginsWith, .endsWith, .contains, .like: isPart(first, second)
    case .isIn, .between, .matches, .text: false
    }
  }

  private func isEqual(_ first: Value, _ second: Value) -> Bool {
    if !options.isEmpty { return folded(first) == folded(second) }
    return first.equals(second, areStored: true)
  }

  /// The order of two values; nil where null or NaN has none.
  ///
  /// Among strings null sorts first.
  private func order(_ first: Value, _ second: Value) -> ValueOrdering? {
    if first.isNull && second.isNull { return .same }
    if first.isNull || second.isNull {
      let isText = first.type == .string || second.type == .string
      return isText ? first.ordering(second) : nil
    }
    if first.doubleValue?.isNaN == true || second.doubleValue?.isNaN == true { return nil }
    return first.ordering(second)
  }

  private func isPart(_ first: Value, _ second: Value) -> Bool {
    if operation == .like, first.isNull, second.isNull { return true }
    guard let text = folded(first), let part = folded(second),
      let test = BytesTest(operation, part)
    else { return false }
    return text.withUnsafeBufferPointer(test.passes)
  }

  private func folded(_ value: Value) -> [UInt8]? { value.comparableBytes(options) }
}

extension Value {
  /// The bytes of text or data in the form used for comparison.
  func comparableBytes(_ options: StringOptions) -> [UInt8]? {
    switch self {
    case .string(let text): StringFolding.folded(text, options)
    case .data(let data):
      Array(data).withUnsafeBufferPointer { BytesFilter.folded($0, options, isText: false) }
    case .objectId(let id): id.bytes
    case .uuid(let uuid): uuid.bytes
    case .geometry(let geometry): geometry.wkb()
    default: nil
    }
  }
}

extension BytesTest {
  /// The test for an operator and the bytes on its right; nil where nothing can ever pass.
  init?(_ operation: ComparisonOperator, _ bytes: [UInt8]) {
    switch operation {
    case .equal: self = .equal(bytes)
    case .less: self = .ordered(bytes, passes: [-1])
    case .lessOrEqual: self = .ordered(bytes, passes: [-1, 0])
    case .greater: self = .ordered(bytes, passes: [1])
    case .greaterOrEqual: self = .ordered(bytes, passes: [0, 1])
    case .like: self = .like(LikePattern(bytes))
    // The empty string contains nothing and is contained in nothing, as in Realm.
    case .beginsWith where !bytes.isEmpty: self = .beginsWith(bytes)
    case .endsWith where !bytes.isEmpty: self = .endsWith(bytes)
    case .contains where !bytes.isEmpty: self = .contains(bytes)
    case .beginsWith, .endsWith, .contains, .notEqual, .isIn, .between, .matches, .text: return nil
    }
  }
}
