import CadastreModel
import CadastreQuery
import CadastreStore

/// Reads of columns of many objects in batches, for tiles.
extension QuerySession {
  /// Returns the map positions of objects, in the order of the keys.
  func positions(
    _ keys: [Int64], of className: String, at place: PropertyPath
  ) throws -> MapPositions {
    try positions(keys, of: className, at: place, reading: nil).positions
  }

  /// Returns the map positions of objects, in the order of the keys.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects; nil for all objects of the class.
  ///   - className: The class.
  ///   - place: The path of the point.
  ///   - field: A field to read into the cache in the same pass; nil for none.
  /// - Returns: The keys and the positions.
  /// - Throws: The error of a read.
  func positions(
    _ keys: [Int64]?, of className: String, at place: PropertyPath, reading field: PropertyPath?
  ) throws -> (keys: [Int64], positions: MapPositions) {
    var allKeys = keys ?? []
    var positions = MapPositions(capacity: allKeys.count)
    _ = try forEachPoint(keys, of: className, at: place, reading: field) {
      batch, longitudes, latitudes in
      if keys == nil { batch.appendKeys(of: batch.allRows, to: &allKeys) }
      positions.append(longitudes, latitudes, batch.allRows)
    }
    return (allKeys, positions)
  }

  /// Returns the numbers of a field of objects, in the order of the keys; nil for a field without a column.
  ///
  /// Null and numbers that are not finite are NaN.
  func numbers(
    _ keys: [Int64], of className: String, at path: PropertyPath
  ) throws -> [Double]? {
    var numbers: [Double] = []
    numbers.reserveCapacity(keys.count)
    let isColumn = try forEachBatch(keys, of: className, at: [path]) { _, columns, rows in
      let column = columns[0]
      let hasNulls = column.nullCount > 0
      func append(_ row: Int, _ number: Double) {
        numbers.append(hasNulls && column.isNull(row) || !number.isFinite ? .nan : number)
      }
      if column.type == .int {
        column.withIntegers { all in for row in rows { append(row, Double(all[row])) } }
      } else {
        column.withDoubles { all in for row in rows { append(row, all[row]) } }
      }
    }
    return isColumn && numbers.count == keys.count ? numbers : nil
  }

  /// Returns the values of a field of objects, in the order of the keys.
  func indexedValues(
    _ keys: [Int64], of className: String, at path: PropertyPath
  ) throws -> IndexedValues {
    var values = IndexedValues(capacity: keys.count)
    let isColumn = try forEachBatch(keys, of: className, at: [path]) { _, columns, rows in
      let column = columns[0]
      // Caches the index of each value of a dictionary.
      var indexes = [UInt32?](repeating: nil, count: column.dictionary?.valueCount ?? 0)
      for row in rows {
        if let dictionary = column.dictionary, !column.isNull(row) {
          let code = dictionary.code(row)
          let index =
            indexes[code] ?? values.index(of: ExplorerService.attribute(column.value(row)))
          indexes[code] = index
          values.append(index)
        } else {
          values.append(values.index(of: ExplorerService.attribute(column.value(row))))
        }
      }
    }
    guard !isColumn else { return values }
    try forEachValue(keys, of: className, at: [path]) {
      values.append(values.index(of: $0.first.flatMap(ExplorerService.attribute)))
    }
    return values
  }
}
