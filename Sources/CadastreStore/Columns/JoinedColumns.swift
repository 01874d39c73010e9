import CadastreModel
import CadastreSQLite

/// Puts columns behind links beside those of the rows that link there, from what is kept in memory.
final class JoinedColumns {
  /// A class that links lead to, or the first one.
  private struct Station {
    let hops: [ColumnReference.Hop]
    let layout: TableLayout
    /// The columns that are needed of it.
    var columns: [Int] = []
    /// The station before, and the place of the link among its columns; nil for the first.
    let link: (station: Int, place: Int)?
  }

  private var stations: [Station]
  /// Where each column that was asked for is found.
  private let outputs: [(station: Int, place: Int)]
  private let targets: [LinkedSegments?]
  private let isPlain: Bool

  /// Prepares to join columns of a class and of those that links lead to; nil where a class is not there.
  init?(_ root: TableLayout, _ references: [ColumnReference], _ reader: any StoreReader) {
    var stations = [Station(hops: [], layout: root, link: nil)]
    func station(_ hops: [ColumnReference.Hop]) -> Int? {
      if let known = stations.firstIndex(where: { $0.hops == hops }) { return known }
      guard let last = hops.last, let before = station(Array(hops.dropLast())),
        let layout = reader.catalogue.layout(last.target)
      else { return nil }
      let link = (before, Self.place(of: last.column, in: &stations[before].columns))
      stations.append(Station(hops: hops, layout: layout, link: link))
      return stations.count - 1
    }
    var outputs: [(station: Int, place: Int)] = []
    for reference in references {
      guard let index = station(reference.hops) else { return nil }
      outputs.append((index, Self.place(of: reference.column, in: &stations[index].columns)))
    }
    self.stations = stations
    self.outputs = outputs
    isPlain = stations.count == 1
    let rowCount = (try? reader.rowCount(root.schema.className)) ?? 0
    targets = stations.map { station in
      station.link == nil
        ? nil : LinkedSegments(station.layout, station.columns, reader, linkingRows: rowCount)
    }
  }

  private static func place(of column: Int, in columns: inout [Int]) -> Int {
    if let known = columns.firstIndex(of: column) { return known }
    columns.append(column)
    return columns.count - 1
  }

  /// The columns that are needed of the first class.
  var rootColumns: [Int] { stations[0].columns }

  /// Whether all columns are the first class's own.
  var isWithoutLinks: Bool { isPlain }

  /// The columns that were asked for, from those of the first class.
  ///
  /// - Parameters:
  ///   - columns: The columns of the first class, by slot.
  ///   - rows: The slots that are wanted; what stands in others means nothing.
  /// - Returns: Nil where some are not in memory.
  /// - Throws: ``StoreError``
  func columns(
    _ columns: [ColumnVector], _ rows: [Int32]
  ) throws(StoreError) -> [ColumnVector]? {
    if isPlain { return outputs.map { columns[$0.place] } }
    var found = [columns]
    for (station, target) in zip(stations, targets).dropFirst() {
      guard let link = station.link, let target,
        let joined = try target.columns(found[link.station][link.place], rows)
      else { return nil }
      found.append(joined)
    }
    return outputs.map { found[$0.station][$0.place] }
  }
}

/// The segments of a class that links lead to, as they are needed.
private final class LinkedSegments {
  private let view: ColumnView?
  private let types: [PropertyType]
  /// Whether segments are worth reading for the sake of some links.
  private let isSmall: Bool
  private var known: [Int64: SegmentImage] = [:]

  init(
    _ layout: TableLayout, _ columns: [Int], _ reader: any StoreReader, linkingRows: Int
  ) {
    view = ColumnView(layout, columns, reader)
    types = columns.map { layout.columns[$0].type }
    let count = (try? reader.rowCount(layout.schema.className)) ?? .max
    isSmall = count <= max(Self.smallTable, linkingRows.multipliedReportingOverflow(by: 4).0)
  }

  /// Rows up to which a class is read whole for the sake of some links.
  private static let smallTable = 64 * Segment.capacity

  /// The columns of the rows that links lead to, beside the links; nil where they are not in memory.
  func columns(
    _ links: borrowing ColumnVector, _ rows: [Int32]
  ) throws(StoreError) -> [ColumnVector]? {
    guard let view else { return nil }
    var joined = types.map(ColumnVector.init)
    for place in joined.indices { joined[place].reserveCapacity(links.count) }
    var last: (number: Int64, image: SegmentImage)?
    for row in rows {
      let row = Int(row)
      for place in joined.indices { joined[place].pad(to: row) }
      guard row < links.count, !links.isNull[row] else { continue }
      let key = links.integers[row]
      let number = Segment.number(of: key)
      if last?.number != number {
        guard let image = try image(number, view) else { return nil }
        last = (number, image)
      }
      guard let image = last?.image, image.rows.contains(Segment.slot(of: key)) else { continue }
      let slot = Segment.slot(of: key)
      for place in joined.indices { joined[place].append(image.columns[place], slot) }
    }
    let count = rows.last.map { Int($0) + 1 } ?? 0
    for place in joined.indices { joined[place].pad(to: count) }
    return joined
  }

  private func image(_ number: Int64, _ view: ColumnView) throws(StoreError) -> SegmentImage? {
    if let image = known[number] { return image }
    guard let image = try view.segment(number, filling: isSmall) else { return nil }
    known[number] = image
    return image
  }
}
