import CadastreModel
package import CadastrePredicate
import CadastreQuery
import CadastreStore

/// A histogram of the numbers of a field or a calculation, over the result of a query.
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
  /// - Throws: ``QueryPredicateError`` for an unknown field, or one without numbers.
  package init(
    _ query: StoreQuery, of field: String, bins: Int
  ) throws(QueryPredicateError) {
    guard let column = AggregateColumn("avg(\(field))") else {
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
  }

  /// The columns: the bounds and the number of objects of a bin.
  package let outputColumns = [
    OutputColumn("from", type: .double), OutputColumn("to", type: .double),
    OutputColumn("count", type: .int),
  ]

  /// Returns a record for each bin, ascending.
  ///
  /// - Throws: The error of a read.
  /// - Complexity: O(n) for n objects; only the columns of the field are read.
  package func records() throws -> [StoredRecord] {
    var numbers: [Double] = []
    let areColumns = try query.session.forEachBatch(query.bound, at: field.paths) {
      _, columns, rows in
      if case .field = field.source, let column = columns.first {
        var present = rows
        column.keep(&present, areNull: false)
        column.forEachNumber(present) { numbers.append($1) }
        return
      }
      for row in rows {
        if let number = field.value(columns.lazy.map { $0.value(row) }).asDouble {
          numbers.append(number)
        }
      }
    }
    if !areColumns {
      try query.session.forEachValue(
        try query.keys(), of: query.bound.className, at: field.paths
      ) { values in
        if let number = field.value(values).asDouble { numbers.append(number) }
      }
    }
    return HistogramBin.bins(bins, of: numbers).map { bin in
      StoredRecord(fields: [
        ("from", .value(.double(bin.lowerBound))), ("to", .value(.double(bin.upperBound))),
        ("count", .value(.int(Int64(bin.count)))),
      ])
    }
  }
}
