import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// The keys that the access paths yield.
extension PlanRun {
  /// The candidate keys, each once; nil where all rows are candidates.
  ///
  /// They are in order of key, except where only their number is wanted and no row is read.
  mutating func candidates() throws -> [Int64]? {
    switch plan.access {
    case .scan, .nearestSearch: return nil
    default:
      let clock = ContinuousClock()
      let start = clock.now
      let keys = try keys(plan.access)
      statistics.accessSeconds = start.duration(to: clock.now) / .seconds(1)
      // Rows that are read are read in the order of the file.
      let isSorted = wantsOrder || order != nil || !filter.parts.isEmpty
      return isSorted ? KeySort.ascending(keys) : keys
    }
  }

  /// The keys that an access path yields, each once, in any order.
  private mutating func keys(_ access: AccessPath) throws -> [Int64] {
    switch access {
    case .nothing, .scan, .nearestSearch, .orderedSearch: return []
    case .keyLookup(let path, let values):
      var keys: [Int64] = []
      for value in values {
        if let key = try reader.key(path.root.className, primaryKey: value) {
          keys.append(key.rawValue)
        }
      }
      return keys
    case .indexSearch(let index, let ranges):
      let search = ValueIndexSearch(layout.valueIndexes[index.position], layout, reader)
      if ranges.count == 1 {
        return try dives?.keys(index, ranges[0]) ?? search.keys(ranges[0])
      }
      var keys: [Int64] = []
      for range in ranges {
        keys += try dives?.keys(index, range) ?? search.keys(range)
      }
      return keys
    case .spatialSearch(let index, let inside):
      let matches = try find(index, inside)
      return matches.accepted + (try exact(matches.candidates, inside.predicate))
    case .relationSearch(let index, let relation):
      let matches = try find(index, relation)
      return matches.accepted + (try exact(matches.candidates, .relation(relation)))
    case .distanceSearch(let index, let search):
      // The distances of the run's version, which may not be those of the plan's.
      guard let reach = search.reach(StoreCatalog(reader).bounds) else { return try allKeys() }
      let matches = try find(index, reach)
      return matches.accepted + matches.candidates
    case .pointSearch(let index, let longitude, let latitude):
      let matches = try traversal(of: index).find(
        LocationClassifier(longitude: longitude, latitude: latitude))
      note(matches)
      return matches.candidates
    case .textSearch(let index, let pattern):
      return try TextIndexSearch(layout.textIndexes[index.position], reader).keys(
        including: pattern.included, excluding: pattern.excluded)
    case .intersection(_, let parts):
      var common: [Int64]?
      for part in parts {
        let keys = KeySort.ascending(try measuredKeys(part))
        common = common.map { KeySort.common($0, keys) } ?? keys
      }
      return common ?? []
    case .union(_, let parts):
      var all: [Int64] = []
      for part in parts { all += try measuredKeys(part) }
      return KeySort.ascending(all)
    case .complement(_, let part):
      return KeySort.difference(
        try allKeys(), KeySort.ascending(try measuredKeys(part)))
    case .linkedSearch(_, let links, let owners):
      guard let table = reader.catalogue.layout(links.objectClassName ?? ""),
        let place = table.linkLocation(of: links.linkOriginPropertyName ?? "")
      else { return [] }
      return KeySort.ascending(try linked(try targets(owners), place))
    case .linkSearch(_, let link, let targets):
      guard let index = link.index else { return [] }
      let place = layout.linkLocation(ofField: index)
      var keys: [Int64] = []
      for target in try self.targets(targets) {
        keys += try place.keys(linkingTo: ObjectKey(target), reader)
      }
      // An object may link to several of the targets, or to one several times.
      return KeySort.ascending(keys)
    }
  }

  /// The keys of all rows, ascending.
  private mutating func allKeys() throws -> [Int64] {
    let reading = BatchReader(layout, [], reader)
    var batch = reading.makeBatch()
    var keys: [Int64] = []
    while try reading.readNext(into: &batch) {
      batch.appendKeys(of: batch.allRows, to: &keys)
    }
    note(reading)
    return keys
  }

  /// The keys of one part of an access path; their number is recorded in the order in which the
  /// parts are printed.
  private mutating func measuredKeys(_ part: AccessPath) throws -> [Int64] {
    let place = statistics.partRows.count
    statistics.partRows.append(0)
    let keys = try keys(part)
    statistics.partRows[place] = keys.count
    return keys
  }

  /// The keys of the objects that some owners link to by a property.
  private func linked(_ owners: [Int64], _ place: LinkLocation) throws -> [Int64] {
    switch place.field {
    case .link(let column), .owned(let column):
      let batches = BatchReader(
        place.layout, [ColumnReference(hops: [], column: column, type: .object)], reader)
      var keys: [Int64] = []
      try batches.forEachBatch(of: owners) { batch in
        for row in batch.allRows where !batch.columns[0].isNull(row) {
          keys.append(batch.columns[0].integer(row))
        }
      }
      return keys
    case .collection(let layout):
      let collection = CollectionReader(layout, reader)
      return try owners.flatMap { owner in
        try collection.values(ObjectKey(owner)).compactMap { value in
          if case .link(let key) = value { key.rawValue } else { nil }
        }
      }
    case .embedded, .scalar, .pointType, .pointCoordinates: return []
    }
  }

  /// The keys of the linked objects.
  private mutating func targets(_ targets: LinkTargets) throws -> [Int64] {
    switch targets {
    case .objects(let references):
      let rows = StoreRows(reader)
      return try references.compactMap { try rows.key(of: $0) }
    case .found(let inner):
      var run = try PlanRun(
        inner, reader, schema, wantsOrder: false, threads: threads, dives: dives)
      let keys = try run.keys()
      statistics.add(run.statistics)
      return keys
    }
  }
}
