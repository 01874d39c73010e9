package import CadastreGeometry
import CadastreModel
import Foundation

/// A reader of the records of a Parquet file.
///
///     let reader = try ParquetReader(ColumnarFile(path: "places.parquet"))
///     var record = ColumnarRecord()
///     while try reader.next(&record) { … }
///
/// It reads the row groups in sequence, and keeps one page and the dictionary of each column in memory.
/// ``fields`` excludes the primary geometry, which is the point or geometry of a record, and its covering
/// column.
package final class ParquetReader {
  /// The parts of a file that are read.
  package struct Selection: Sendable {
    /// The names of the columns; nil for all.
    package var columns: [String]?
    /// The box of the geometries; row groups without a geometry in it are skipped.
    package var box: ColumnarBox?
    /// The intervals of column values; row groups without a match are skipped.
    package var intervals: [ColumnarInterval] = []

    /// Creates a selection of everything.
    package init() {}
  }

  /// The fields, in the order of the values of a record.
  package let fields: [ColumnarField]
  /// Whether the file has a geometry.
  package var hasGeometry: Bool { geometry != nil }
  /// Whether the geometries are among the selected columns.
  package let readsGeometry: Bool
  /// Whether some geometries are not points; nil if the metadata names no geometry types.
  package var declaresShapes: Bool? { geometry.flatMap(\.hasShapes) }
  /// The name of the geometry column; nil if there is none.
  package var geometryName: String? { geometry.map { parquet.columns.roots[$0.root].name } }
  /// Whether the metadata declares that edges are great circles.
  package let hasSphericalEdges: Bool
  /// The name and the definitions of the reference system, the best one first; nil for WGS 84.
  package var foreignSystem: (name: String, definitions: [String])? { geometry?.system.foreign }
  /// The conversion of the coordinates and the treatment of open rings; nil for degrees.
  package var conversion: GeometryConversion?
  /// The number of rows of the file.
  package var rowCount: Int { parquet.metadata.rowCount }
  /// The number of bytes of the file that were read.
  package var bytesRead: Int { parquet.file.bytesRead }
  /// The size of the file in bytes.
  package var size: Int { parquet.file.size }
  /// The number of row groups that were skipped.
  package private(set) var skippedGroups = 0

  private let parquet: ParquetFile
  private let selection: Selection
  private let geometry: GeometryColumn?
  /// The indexes of the columns of `fields`.
  private let roots: [Int]
  /// The indexes of the fields with geometries besides the primary one.
  private let otherGeometries: [Int]
  private var nextGroup = 0
  private var assembler = RecordAssembler(cursors: [])
  /// The unread ranges of rows of the current row group, the last one first.
  private var ranges: [Range<Int>] = []
  /// The index of the next row in the row group.
  private var row = 0
  /// The number of rows of the row group.
  private var groupRows = 0
  private var rowsLeft = 0
  private var number = 0

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - selection: The parts that are read.
  /// - Throws: ``ColumnarError`` if the file is invalid.
  package init(
    _ file: ColumnarFile, _ selection: Selection = Selection()
  ) throws(ColumnarError) {
    let parquet = try ParquetFile(file)
    let geo = parquet.metadata.keyValues["geo"].flatMap(GeoMetadata.init)
    let geometry = try GeometryColumn(parquet.columns, parquet.metadata, geo: geo)
    let names = selection.columns
    roots = parquet.columns.roots.indices.filter { index in
      index != geometry?.root && index != geometry?.coveringRoot
        && names?.contains(parquet.columns.roots[index].name) ?? true
    }
    let columnNames = Set(parquet.columns.roots.map(\.name))
    for name in names ?? [] where !columnNames.contains(name) {
      throw .corrupt(
        found: "no column '\(name)'",
        expected: "one of \(parquet.columns.roots.map(\.name).joined(separator: ", "))")
    }
    readsGeometry =
      geometry.map { geometry in
        names?.contains(parquet.columns.roots[geometry.root].name) ?? true
      } ?? false
    var fields = roots.map { ParquetFields.field(parquet.columns.roots[$0], parquet.metadata) }
    otherGeometries = fields.indices.filter {
      fields[$0].type == .scalar(.data) && geo?.otherColumns.contains(fields[$0].name) == true
    }
    for index in otherGeometries {
      fields[index].type = .scalar(.geometry)
      // An empty geometry is null.
      fields[index].isOptional = true
    }
    self.fields = fields
    hasSphericalEdges = geo?.hasSphericalEdges ?? false
    self.parquet = parquet
    self.geometry = geometry
    var selection = selection
    // The bounds in the file have its coordinates, the box has degrees.
    if geometry?.system.foreign != nil { selection.box = nil }
    self.selection = selection
  }

  /// Reads the next record.
  ///
  /// - Parameter record: Receives the record; its memory is reused.
  /// - Returns: False at the end of the file.
  /// - Throws: ``ColumnarError`` if the file is corrupt; then no further record can be read.
  package func next(_ record: inout ColumnarRecord) throws(ColumnarError) -> Bool {
    while rowsLeft == 0 {
      if let range = ranges.popLast() {
        try skip(to: range.lowerBound)
        rowsLeft = range.count
      } else {
        try finishGroup()
        guard try openGroup() else { return false }
      }
    }
    rowsLeft -= 1
    row += 1
    number += 1
    record.removeAll()
    record.number = number
    for root in roots {
      record.values.append(try assembler.value(parquet.columns.roots[root]))
    }
    if readsGeometry, let geometry {
      try readGeometry(geometry, &record)
      // The column is read, because all columns of a group advance together.
      if conversion?.ignoresGeometries == true {
        (record.point, record.geometry, record.geometryProblem) = (nil, nil, nil)
      }
    }
    for index in otherGeometries { readGeometry(ofField: index, &record) }
    return true
  }

  /// Replaces the bytes of a field by the geometry.
  private func readGeometry(ofField index: Int, _ record: inout ColumnarRecord) {
    guard case .value(.data(let bytes)) = record.values[index] else { return }
    // The system of the primary geometry is not that of the others.
    let degrees = foreignSystem == nil ? conversion?.degrees : nil
    let other = GeometryConversion(degrees: degrees, onChange: conversion?.onChange)
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(GeometryTextError) in try Geometry(wkb: bytes, converting: other) }
    }
    do throws(GeometryTextError) {
      let geometry = try result.get()
      record.values[index] = .value(geometry.isEmpty ? .null : .geometry(geometry))
    } catch {
      record.geometryProblem =
        record.geometryProblem ?? "column '\(fields[index].name)': \(error)"
    }
  }

  private func readGeometry(
    _ geometry: GeometryColumn, _ record: inout ColumnarRecord
  ) throws(ColumnarError) {
    switch geometry.encoding {
    case .wellKnownBinary(let leaf):
      let conversion = conversion
      switch try assembler.cursor(leaf).takeBytes({ PointBinary.content($0, conversion) }) {
      case .point(let point): record.set(point, conversion)
      case .shape(let geometry): record.geometry = geometry
      case .other(let problem): record.geometryProblem = problem
      case .empty, nil: break
      }
    case .coordinates(let x, let y, let z):
      let x = try assembler.cursor(x).takeDouble()
      let y = try assembler.cursor(y).takeDouble()
      let z = try z.map { leaf throws(ColumnarError) in try assembler.cursor(leaf).takeDouble() }
      if let x, let y, !(x.isNaN && y.isNaN) {
        record.set(ColumnarPoint(x: x, y: y, z: z ?? nil), conversion)
      }
    case .nested(var native):
      native.conversion = conversion
      let value = try assembler.value(native.tree)
      do throws(GeometryProblem) {
        record.geometry = try native.geometry(value)
      } catch {
        record.geometryProblem = error.sentence
      }
    }
  }

  /// Skips the rows before a row of the current row group.
  private func skip(to target: Int) throws(ColumnarError) {
    let count = target - row
    guard count > 0 else { return }
    for case let cursor? in assembler.cursors { try cursor.skip(rows: count) }
    row = target
    number += count
  }

  /// Opens the next row group that may have matching rows; returns false if there is none.
  private func openGroup() throws(ColumnarError) -> Bool {
    while nextGroup < parquet.metadata.rowGroups.count {
      let group = parquet.metadata.rowGroups[nextGroup]
      nextGroup += 1
      let pruning = GroupPruning(parquet, group, geometry)
      let rows = pruning.mayMatch(selection) ? pruning.rows(selection) : []
      guard !rows.isEmpty else {
        number += group.rowCount
        skippedGroups += 1
        continue
      }
      var leaves: [Range<Int>] = roots.map { parquet.columns.roots[$0].leaves }
      if readsGeometry, let geometry { leaves.append(parquet.columns.roots[geometry.root].leaves) }
      // Without a column, nothing would limit the number of rows.
      guard leaves.contains(where: { !$0.isEmpty }) || group.rowCount == 0 else {
        throw .corrupt(
          found: "\(group.rowCount) rows without columns", expected: "at least one column")
      }
      var cursors: [LeafCursor?] = Array(repeating: nil, count: parquet.columns.leaves.count)
      for leaf in leaves.joined() {
        let column = parquet.columns.leaves[leaf]
        do throws(ColumnarError) {
          let pages =
            rows != [0..<group.rowCount] && column.maximumRepetition == 0
            ? PageIndex.locations(parquet.file, group.chunks[leaf], rowCount: group.rowCount) : nil
          cursors[leaf] = LeafCursor(
            try ChunkReader(
              parquet.file, column, group.chunks[leaf], limit: parquet.footer, pages: pages))
        } catch {
          throw error.within(column.description)
        }
      }
      assembler = RecordAssembler(cursors: cursors)
      ranges = rows.reversed()
      row = 0
      groupRows = group.rowCount
      return true
    }
    return false
  }

  /// Checks that all entries of the current row group were read.
  private func finishGroup() throws(ColumnarError) {
    defer { assembler = RecordAssembler(cursors: []) }
    // Entries of skipped rows at the end of the group remain unread.
    guard row == groupRows else {
      number += groupRows - row
      (row, groupRows) = (0, 0)
      return
    }
    for case let cursor? in assembler.cursors {
      guard try cursor.isAtEnd() else {
        throw .corrupt(
          found: "more values than rows", expected: "a value for each row",
          part: cursor.leaf.description)
      }
    }
  }
}

// Not Sendable: every call moves the position in the file.
@available(*, unavailable)
extension ParquetReader: Sendable {}
