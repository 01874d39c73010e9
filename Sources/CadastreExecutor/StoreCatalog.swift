import CadastreGeometry
package import CadastreModel
import CadastrePlanner
package import CadastrePredicate
package import CadastreStore

/// What the planner may know of a snapshot: answers by bounded dives into the real indexes.
///
/// A dive that fails counts every object; the failure shows when the plan is carried out.
package struct StoreCatalog: Catalog {
  private let reader: any StoreReader

  package let schema: Schema

  /// The catalog of what a reader sees.
  ///
  /// - Parameters:
  ///   - reader: What is asked.
  ///   - schema: The classes with the properties that are worked out from links, which a store does not
  ///     keep; nil where no question names one.
  package init(_ reader: any StoreReader, schema: Schema? = nil) {
    self.reader = reader
    self.schema = schema ?? reader.catalogue.schema
  }

  package func objectCount(_ className: String) -> Int {
    (try? reader.rowCount(className)) ?? 0
  }

  package func shareInMemory(_ className: String, _ paths: [PropertyPath]) -> Double {
    let objects = objectCount(className)
    // Of few objects nothing takes long, and plans need not change with what was asked before.
    guard objects >= Self.manyObjects, let layout = reader.catalogue.layout(className),
      let source = reader.columnSource(className)
    else { return 0 }
    // What lies behind links is left out: the links decide whether the rows are worth scanning.
    let columns = Set(paths.flatMap { layout.ownColumns($0) })
    return source.shareInMemory(className, Array(columns), of: objects)
  }

  /// Objects from which on it counts what is in memory; a scan of fewer takes less than 0.2 ms.
  private static let manyObjects = 65_536

  package func hasValueIndex(_ className: String, _ path: PropertyPath) -> Bool {
    reader.catalogue.layout(className)?.valueIndex(path) != nil
  }

  package func hasSpatialIndex(_ className: String, _ path: PropertyPath) -> Bool {
    reader.catalogue.layout(className)?.spatialIndex(path) != nil
  }

  package func estimatedRows(
    _ className: String, _ path: PropertyPath, _ ranges: [ValueRange]
  ) -> Double {
    let objects = Double(objectCount(className))
    guard let layout = reader.catalogue.layout(className), let index = layout.valueIndex(path)
    else { return objects }
    let search = ValueIndexSearch(index, layout, reader)
    var rows = 0.0
    var divesLeft = Self.maximumDives
    for range in ranges {
      // The ranges not looked at are taken to hold as much as those that were.
      guard divesLeft > 0 else {
        return min(objects, rows * Double(ranges.count) / Double(Self.maximumDives))
      }
      divesLeft -= 1
      let limit = Self.diveLimit
      guard let count = try? search.count(range, limit: limit) else { return objects }
      // A range that fills the dive holds anything up to all objects; the geometric mean is as
      // likely too small as too large.
      rows += count < limit ? Double(count) : (Double(limit) * objects).squareRoot()
    }
    return min(objects, rows)
  }

  /// Entries counted in one range before the count is given up: about 0.1 ms.
  private static let diveLimit = 2000
  /// Ranges of one search that are counted.
  private static let maximumDives = 16

  package func hasTextIndex(_ className: String, _ path: PropertyPath) -> Bool {
    reader.catalogue.layout(className)?.textIndex(path) != nil
  }

  package func estimatedRows(
    _ className: String, _ path: PropertyPath, _ pattern: TextPattern
  ) -> Double {
    let objects = Double(objectCount(className))
    guard let index = reader.catalogue.layout(className)?.textIndex(path),
      let count = try? TextIndexSearch(index, reader).count(
        including: pattern.included, excluding: pattern.excluded, limit: Self.diveLimit)
    else { return objects }
    return count < Self.diveLimit
      ? Double(count) : min(objects, (Double(count) * objects).squareRoot())
  }

  package func estimatedRows(
    _ className: String, _ path: PropertyPath, _ inside: QueryPredicate
  ) -> Double {
    let objects = objectCount(className)
    guard let index = reader.catalogue.layout(className)?.spatialIndex(path),
      let regions = try? inside.regionTree(),
      let walk = try? RTreeWalk(index, reader.connection),
      let rows = try? walk.estimate(RegionJudge(regions), total: objects)
    else { return Double(objects) }
    return min(Double(objects), rows)
  }
}

extension TableLayout {
  /// The columns of the row itself that a path asks for; none where it leads elsewhere at once.
  fileprivate func ownColumns(_ path: PropertyPath) -> [Int] {
    var fields = fields
    var schema = schema
    for name in path.names {
      guard let index = schema.index(of: name) else { return [] }
      switch fields[index] {
      case .scalar(let column), .link(let column), .owned(let column): return [column]
      case .collection(let collection): return [collection.countColumn]
      case .embedded(let embedded):
        if let point = embedded.point { return [point.longitude, point.latitude] }
        (fields, schema) = (embedded.fields, embedded.schema)
      case .pointType, .pointCoordinates: return []
      }
    }
    return []
  }

  /// The ordered index on the property at a path.
  func valueIndex(_ path: PropertyPath) -> ValueIndex? {
    valueIndexes.first { $0.path == path && !$0.isLink }
  }

  /// The full-text index on the property at a path.
  func textIndex(_ path: PropertyPath) -> TextIndex? { textIndexes.first { $0.path == path } }

  /// The spatial index on the place at a path.
  func spatialIndex(_ path: PropertyPath) -> SpatialIndex? {
    spatialIndexes.first { $0.path == path }
  }
}
