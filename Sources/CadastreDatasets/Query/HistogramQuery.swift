import CadastreModel
package import CadastrePredicate
import CadastreQuery
import CadastreStore
import Foundation

/// A histogram of the numbers or dates of a field or a calculation, over the result of a query.
package struct HistogramQuery {
  private let query: StoreQuery
  private let field: AggregateField
  private let bins: Int

  /// Creates a histogram.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - field: The field or the calculation, such as `population / 1000`.
  ///   - bins: The number of bins.
  /// - Throws: ``QueryPredicateError`` for an unknown field, or one without numbers and dates.
  package init(
    _ query: StoreQuery, of field: String, bins: Int
  ) throws(QueryPredicateError) {
    // A function that takes values of all types.
    guard let column = AggregateColumn("first(\(field))") else {
      throw QueryPredicateError(
        .invalidQuery, "expected a field or a calculation for a histogram, found '\(field)'")
    }
    self.query = query
    self.bins = bins
    do throws(QueryPredicateError) {
      self.field = try AggregateField(field, of: column, query)
    } catch {
      throw QueryPredicateError(
        error.kind, error.message.replacing("'\(column.name)'", with: "histogram of '\(field)'"))
    }
    let type = self.field.type
    guard type.isNumeric || type == .date || type == .any else {
      throw QueryPredicateError(
        .invalidQuery,
        "histogram of '\(field)': expected numbers or dates, and '\(field)' is of type '\(type)'")
    }
  }

  /// The columns: the bounds and the number of objects of a bin.
  package var outputColumns: [OutputColumn] {
    [
      OutputColumn("from", type: boundType), OutputColumn("to", type: boundType),
      OutputColumn("count", type: .int),
    ]
  }

  private var boundType: PropertyType { field.type == .date ? .date : .double }

  /// Returns a record for each bin, ascending.
  ///
  /// - Throws: The error of a read.
  /// - Complexity: O(n) for n objects; only the columns of the field are read.
  package func records() throws -> [StoredRecord] {
    var numbers: [Double] = []
    func add(_ values: some Collection<Value>) {
      if let number = field.value(values).number(in: boundType) { numbers.append(number) }
    }
    let areColumns = try query.session.forEachBatch(query.bound, at: field.paths) {
      _, columns, rows in
      if case .field = field.source, let column = columns.first, field.type.isNumeric {
        var present = rows
        column.keep(&present, areNull: false)
        column.forEachNumber(present) { numbers.append($1) }
      } else {
        for row in rows { add(columns.lazy.map { $0.value(row) }) }
      }
    }
    if !areColumns {
      try query.session.forEachValue(
        try query.keys(), of: query.bound.className, at: field.paths, add)
    }
    return HistogramBin.bins(bins, of: numbers).map { bin in
      StoredRecord(fields: [
        ("from", .value(Value(bin.lowerBound, in: boundType))),
        ("to", .value(Value(bin.upperBound, in: boundType))),
        ("count", .value(.int(Int64(bin.count)))),
      ])
    }
  }
}

extension Value {
  /// Creates a bound of a bin.
  ///
  /// - Parameters:
  ///   - number: The number, of seconds since 2001 for a date.
  ///   - type: The type of the bound, `date` or `double`.
  fileprivate init(_ number: Double, in type: PropertyType) {
    self =
      type == .date
      ? .date(Timestamp(Date(timeIntervalSinceReferenceDate: number))) : .double(number)
  }

  /// Returns the number of a value in bins whose bounds have a type; nil for a value of another type.
  fileprivate func number(in type: PropertyType) -> Double? {
    switch self {
    case .date(let date): type == .date ? date.date.timeIntervalSinceReferenceDate : nil
    default: type == .date ? nil : asDouble
    }
  }
}
