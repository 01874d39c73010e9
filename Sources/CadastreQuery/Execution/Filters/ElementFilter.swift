import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows with as many elements that pass a filter as the quantifier requires.
struct ElementFilter: BatchFilter {
  let elements: ElementScan
  let filter: any BatchFilter
  let quantifier: Quantifier

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    // One element that passes decides ANY and NONE; one that fails decides ALL.
    var decided: Set<Int64> = []
    try elements.forEachBatch(batch, rows) { elements, selected in
      var deciding = try filter.matching(elements, among: selected)
      if quantifier == .all {
        let passing = deciding
        deciding = selected
        deciding.subtract(passing)
      }
      for element in deciding { decided.insert(elements.owners[element]) }
    }
    rows.keep { row in
      let isDecided = elements.owner(batch, row).map(decided.contains) ?? false
      return isDecided == (quantifier == .any)
    }
  }
}

/// Keeps rows whose map entry under a key passes a filter; a missing entry is null.
struct EntryFilter: BatchFilter {
  let entries: ElementScan
  let filter: any BatchFilter
  /// Whether null passes.
  let nulls: Bool

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    var passes: [Int64: Bool] = [:]
    try entries.forEachBatch(batch, rows) { entries, selected in
      for entry in selected { passes[entries.owners[entry]] = false }
      for entry in try filter.matching(entries, among: selected) {
        passes[entries.owners[entry]] = true
      }
    }
    rows.keep { row in entries.owner(batch, row).flatMap { passes[$0] } ?? nulls }
  }
}

/// The number of each row's elements that pass a filter.
struct ElementCounts: OperandValues {
  let elements: ElementScan
  let filter: any BatchFilter

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    var counts: [Int64: Int64] = [:]
    try elements.forEachBatch(batch, rows) { elements, selected in
      for element in try filter.matching(elements, among: selected) {
        counts[elements.owners[element], default: 0] += 1
      }
    }
    var values: [[Value]] = []
    for row in rows {
      values.append([.int(elements.owner(batch, row).flatMap { counts[$0] } ?? 0)])
    }
    return values
  }
}

/// The value computed from each row's elements.
struct ElementAggregates: OperandValues {
  let elements: ElementScan
  let value: RowValue
  let operation: Aggregate.Operation
  let isDecimal: Bool

  func values(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws -> [[Value]] {
    var found: [Int64: [Value]] = [:]
    try elements.forEachBatch(batch, rows) { elements, selected in
      for element in selected {
        found[elements.owners[element], default: []].append(
          value.value(elements, element))
      }
    }
    var values: [[Value]] = []
    for row in rows {
      let elements = elements.owner(batch, row).flatMap { found[$0] } ?? []
      values.append([operation.result(elements, isDecimal: isDecimal)])
    }
    return values
  }
}
