import CadastreModel
import CadastreSQLite

/// A join of cached columns of linked classes with the rows that link to them.
final class JoinedColumns {
  /// The root class, or a class at the end of a chain of links.
  private struct JoinedClass {
    let hops: [ColumnReference.Hop]
    let layout: TableLayout
    /// The requested columns of this class.
    var columns: [Int] = []
    /// The class with the link, and the index of the link in the `columns` of that class; nil for the root.
    let link: (class: Int, column: Int)?
  }

  private var classes: [JoinedClass]
  /// The class of each requested column, and the index of the column in the `columns` of that class.
  private let outputs: [(class: Int, column: Int)]
  private let targets: [LinkedSegments?]

  /// Prepares to join columns of a class and of linked classes; nil where a class does not exist.
  init?(_ root: TableLayout, _ references: [ColumnReference], _ reader: any StoreReader) {
    var classes = [JoinedClass(hops: [], layout: root, link: nil)]
    func index(of hops: [ColumnReference.Hop]) -> Int? {
      if let index = classes.firstIndex(where: { $0.hops == hops }) { return index }
      guard let last = hops.last, let before = index(of: Array(hops.dropLast())),
        let layout = reader.catalogue.layout(last.target)
      else { return nil }
      let link = (before, Self.index(of: last.column, in: &classes[before].columns))
      classes.append(JoinedClass(hops: hops, layout: layout, link: link))
      return classes.count - 1
    }
    var outputs: [(class: Int, column: Int)] = []
    for reference in references {
      guard let index = index(of: reference.hops) else { return nil }
      outputs.append((index, Self.index(of: reference.column, in: &classes[index].columns)))
    }
    self.classes = classes
    self.outputs = outputs
    let rowCount =
      classes.count > 1 ? (try? reader.rowCount(root.schema.className)) ?? 0 : 0
    targets = classes.map { joined in
      joined.link == nil
        ? nil : LinkedSegments(joined.layout, joined.columns, reader, linkingRows: rowCount)
    }
  }

  /// Returns the index of a column in a list; appends a missing column.
  private static func index(of column: Int, in columns: inout [Int]) -> Int {
    if let index = columns.firstIndex(of: column) { return index }
    columns.append(column)
    return columns.count - 1
  }

  /// The requested columns of the root class.
  var rootColumns: [Int] { classes[0].columns }

  /// Whether all requested columns belong to the root class.
  var isWithoutLinks: Bool { classes.count == 1 }

  /// The index in `rootColumns` of each requested column; nil where columns of linked classes are requested.
  var outputsWithoutLinks: [Int]? { isWithoutLinks ? outputs.map(\.column) : nil }

  /// Returns the requested columns, from those of the root class.
  ///
  /// - Parameters:
  ///   - columns: The columns of the root class, by slot.
  ///   - rows: The slots of interest; the values in other slots are undefined.
  /// - Returns: The columns; nil where some are not cached.
  /// - Throws: ``StoreError`` when reading fails.
  func columns(
    _ columns: [EncodedColumn], _ rows: RowSet
  ) throws(StoreError) -> [BatchColumn]? {
    if isWithoutLinks { return outputs.map { .encoded(columns[$0.column]) } }
    var columnsByClass = [columns.map(BatchColumn.encoded)]
    for (joined, target) in zip(classes, targets).dropFirst() {
      guard let link = joined.link, let target,
        let columns = try target.columns(columnsByClass[link.class][link.column], rows)
      else { return nil }
      columnsByClass.append(columns.map(BatchColumn.plain))
    }
    return outputs.map { columnsByClass[$0.class][$0.column] }
  }
}

/// The segments of a linked class, each loaded at its first use.
private final class LinkedSegments {
  private let view: ColumnView?
  private let types: [PropertyType]
  /// Whether the class is small enough to read segments that are not cached.
  private let isSmall: Bool
  private var loaded: [Int64: SegmentImage] = [:]

  init(
    _ layout: TableLayout, _ columns: [Int], _ reader: any StoreReader, linkingRows: Int
  ) {
    view = ColumnView(layout, columns, reader)
    types = columns.map { layout.columns[$0].type }
    let count = (try? reader.rowCount(layout.schema.className)) ?? .max
    isSmall = count <= max(Self.smallTable, linkingRows.multipliedReportingOverflow(by: 4).0)
  }

  /// The number of rows up to which the segments of a linked class are read.
  private static let smallTable = 64 * KeySegment.capacity

  /// Returns the columns of the linked rows in the order of the links; nil where they are not cached.
  func columns(
    _ links: BatchColumn, _ rows: RowSet
  ) throws(StoreError) -> [ColumnVector]? {
    guard let view else { return nil }
    let joined = types.map(ColumnVector.init)
    for column in joined { column.reserveCapacity(links.count) }
    var last: (number: Int64, image: SegmentImage)?
    for row in rows {
      for column in joined { column.pad(to: row) }
      guard row < links.count, !links.isNull(row) else { continue }
      let key = links.integer(row)
      let number = KeySegment.number(of: key)
      if last?.number != number {
        guard let image = try image(number, view) else { return nil }
        last = (number, image)
      }
      guard let image = last?.image, image.rows.contains(KeySegment.slot(of: key)) else { continue }
      let slot = KeySegment.slot(of: key)
      for column in joined.indices { joined[column].append(image.columns[column], slot) }
    }
    let count = rows.last.map { $0 + 1 } ?? 0
    for column in joined { column.pad(to: count) }
    return joined
  }

  private func image(_ number: Int64, _ view: ColumnView) throws(StoreError) -> SegmentImage? {
    if let image = loaded[number] { return image }
    guard let image = try view.segment(number, for: isSmall ? .allRows : .rows(1)) else {
      return nil
    }
    loaded[number] = image
    return image
  }
}
