import CadastreColumnar
import CadastreModel
import CadastrePredicate

extension QueryPredicate {
  /// The intervals outside of which no value of a column can match, for the conditions that all
  /// matching rows must meet.
  var columnIntervals: [ColumnarInterval] {
    conjuncts.compactMap { part in
      guard case .comparison(let comparison) = part else { return nil }
      return comparison.columnInterval
    }
  }
}

extension Comparison {
  /// The interval of values that can match; nil if the comparison limits no column.
  fileprivate var columnInterval: ColumnarInterval? {
    guard case .property(let path) = left, path.names.count == 1, options.isEmpty else {
      return nil
    }
    let column = path.names[0]
    switch (operation, right) {
    case (.between, .list(let bounds)) where bounds.count == 2 && bounds.allSatisfy(\.isOrdered):
      return ColumnarInterval(column: column, lower: bounds[0], upper: bounds[1])
    case (.equal, .value(let value)) where value.isOrdered || value.type == .string:
      return ColumnarInterval(column: column, lower: value, upper: value)
    case (.less, .value(let value)) where value.isOrdered,
      (.lessOrEqual, .value(let value)) where value.isOrdered:
      return ColumnarInterval(column: column, lower: nil, upper: value)
    case (.greater, .value(let value)) where value.isOrdered,
      (.greaterOrEqual, .value(let value)) where value.isOrdered:
      return ColumnarInterval(column: column, lower: value, upper: nil)
    default: return nil
    }
  }
}

extension Value {
  /// Whether the value is a number or a date that statistics can be compared with.
  fileprivate var isOrdered: Bool {
    switch self {
    case .int, .date: true
    case .double(let number): !number.isNaN
    case .float(let number): !number.isNaN
    default: false
    }
  }
}
