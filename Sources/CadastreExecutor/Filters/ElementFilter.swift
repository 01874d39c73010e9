import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows with as many elements that pass a filter as the quantifier requires.
struct ElementFilter: BatchFilter {
  let elements: ElementScan
  let filter: any BatchFilter
  let quantifier: Quantifier

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) throws -> [Int32] {
    // One element that passes decides ANY and NONE; one that fails decides ALL.
    var decided: Set<Int64> = []
    try elements.forEachBatch(batch, rows) { elements, selected in
      var passing = try filter.matching(elements, among: selected)
      if quantifier == .all { passing = Selection.difference(selected, passing) }
      for element in passing { decided.insert(elements.owners[Int(element)]) }
    }
    var found: [Int32] = []
    for row in rows {
      let isDecided = elements.owner(batch, row).map(decided.contains) ?? false
      if isDecided == (quantifier == .any) { found.append(row) }
    }
    return found
  }
}

/// Keeps rows whose map entry under a key passes a filter; a missing entry is null.
struct EntryFilter: BatchFilter {
  let entries: ElementScan
  let filter: any BatchFilter
  /// Whether null passes.
  let nulls: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) throws -> [Int32] {
    var passes: [Int64: Bool] = [:]
    try entries.forEachBatch(batch, rows) { entries, selected in
      for entry in selected { passes[entries.owners[Int(entry)]] = false }
      for entry in try filter.matching(entries, among: selected) {
        passes[entries.owners[Int(entry)]] = true
      }
    }
    var found: [Int32] = []
    for row in rows {
      if entries.owner(batch, row).flatMap({ passes[$0] }) ?? nulls { found.append(row) }
    }
    return found
  }
}

/// The number of each row's elements that pass a filter.
struct ElementCounts: OperandValues {
  let elements: ElementScan
  let filter: any BatchFilter

  func values(_ batch: borrowing ColumnBatch, _ rows: [Int32]) throws -> [[Value]] {
    var counts: [Int64: Int64] = [:]
    try elements.forEachBatch(batch, rows) { elements, selected in
      for element in try filter.matching(elements, among: selected) {
        counts[elements.owners[Int(element)], default: 0] += 1
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

  func values(_ batch: borrowing ColumnBatch, _ rows: [Int32]) throws -> [[Value]] {
    var found: [Int64: [Value]] = [:]
    try elements.forEachBatch(batch, rows) { elements, selected in
      for element in selected {
        found[elements.owners[Int(element)], default: []].append(
          value.value(elements, Int(element)))
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
