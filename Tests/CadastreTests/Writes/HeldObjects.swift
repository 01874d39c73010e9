import Cadastre

/// The instances that a test keeps over many transactions, by primary key or serial number.
final class HeldObjects {
  let realm: Realm
  private(set) var plots: [Int: WritePlot] = [:]
  private(set) var leaves: [Int: WriteLeaf] = [:]
  /// The instances of rows that were deleted, or whose creation was rolled back.
  private var invalidated: [(number: Int, object: Object)] = []

  init(_ realm: Realm) { self.realm = realm }

  /// Returns the instance of a plot: the held one, or a new one, which is kept for two in three keys.
  func plot(_ id: Int) throws(WriteFailure) -> WritePlot {
    if let plot = plots[id] { return plot }
    guard let plot = realm.object(ofType: WritePlot.self, forPrimaryKey: id) else {
      throw WriteFailure(expected: "a plot \(id)", found: "none by its primary key")
    }
    if !id.isMultiple(of: 3) { plots[id] = plot }
    return plot
  }

  /// Returns the instance of a leaf.
  func leaf(_ serial: Int) throws(WriteFailure) -> WriteLeaf {
    if let leaf = leaves[serial] { return leaf }
    guard let leaf = realm.objects(WriteLeaf.self).where({ $0.serial == serial }).first else {
      throw WriteFailure(expected: "a leaf \(serial)", found: "none by its serial number")
    }
    leaves[serial] = leaf
    return leaf
  }

  /// Keeps the instances of new objects.
  func keep(_ plot: WritePlot, _ id: Int) { plots[id] = plot }

  func keep(_ leaf: WriteLeaf, _ serial: Int) { leaves[serial] = leaf }

  /// Notes that rows are gone: from now on their instances must be invalidated.
  func expectInvalidated(_ numbers: Set<Int>) {
    for number in numbers.sorted() {
      if let plot = plots.removeValue(forKey: number) { invalidated.append((number, plot)) }
      if let leaf = leaves.removeValue(forKey: number) { invalidated.append((number, leaf)) }
    }
    if invalidated.count > 60 { invalidated.removeFirst(invalidated.count - 60) }
  }

  /// Requires that exactly the instances of rows that are gone are invalidated.
  func checkInvalidation() throws(WriteFailure) {
    for (number, object) in invalidated where !object.isInvalidated {
      throw WriteFailure(expected: "\(number) is invalidated", found: "\(object)")
    }
    for (id, plot) in plots where plot.isInvalidated {
      throw WriteFailure(expected: "plot \(id) is valid", found: "its instance is invalidated")
    }
    for (serial, leaf) in leaves where leaf.isInvalidated {
      throw WriteFailure(expected: "leaf \(serial) is valid", found: "its instance is invalidated")
    }
  }
}
