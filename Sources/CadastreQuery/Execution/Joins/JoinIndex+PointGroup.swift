import CadastreGeometry
package import CadastrePredicate

/// Left objects of a join with at most one point each.
package struct JoinPointGroup {
  /// The keys of the objects.
  package let keys: [Int64]
  fileprivate let points: [JoinPoint?]

  /// Creates a group of objects.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - points: The points, nil where they are missing.
  package init(_ keys: [Int64], _ points: [JoinPoint?]) {
    (self.keys, self.points) = (keys, points)
  }

  /// Returns the first or the second half of the group.
  ///
  /// - Parameter isFirst: Whether it is the first half.
  /// - Returns: The half.
  package func half(isFirst: Bool) -> JoinPointGroup {
    let middle = keys.count / 2
    let range = isFirst ? 0..<middle : middle..<keys.count
    return JoinPointGroup(Array(keys[range]), Array(points[range]))
  }
}

/// Joins of many points, in which each right geometry is tested once with all points near it.
extension JoinIndex {
  /// A left object of a group and a right one, both by number.
  private struct Pair {
    let left: Int32
    let right: Int32
  }

  /// The number of pairs after which a group is divided; 32 MiB with their partners.
  private static let mostPairs = 1 << 20

  /// Returns the partners of each point of a group, whose relation to them is that they intersect.
  ///
  /// - Parameter group: The points.
  /// - Returns: For each point the right objects, in the order of the right side; nil if the pairs are
  ///   too many for memory and the group must be divided.
  /// - Throws: The error of a read.
  package mutating func partners(of group: JoinPointGroup) throws -> [ArraySlice<JoinPartner>]? {
    var entries = EnvelopeIndex.Entries()
    for case (let number, let point?) in group.points.enumerated() {
      entries.append(longitude: point.longitude, latitude: point.latitude, of: number)
    }
    var pairs: [Pair] = []
    if let tree, let points = EnvelopeIndex(entries) {
      var batch = PointBatch(edges: edges)
      for element in tree.elements(near: [points.bounds]) {
        for number in try numbers(of: element, group, points, &batch) {
          pairs.append(Pair(left: Int32(number), right: Int32(element)))
        }
        if pairs.count > Self.mostPairs, group.keys.count > 1 { return nil }
      }
    }
    return partners(of: group.keys.count, pairs)
  }

  /// The points of a group that are partners of a right object, ascending.
  private mutating func numbers(
    of element: Int, _ group: JoinPointGroup, _ points: EnvelopeIndex, _ batch: inout PointBatch
  ) throws -> [Int] {
    let geometries: [LocatedGeometry] =
      if case .point(let longitude, let latitude) = contents[element] {
        [.point(longitude: longitude, latitude: latitude)]
      } else {
        try shapes(element)
      }
    var numbers: [Int] = []
    for geometry in geometries {
      batch.replace(near: geometry.envelopes, in: points) { group.points[$0] ?? (.nan, .nan) }
      guard batch.count > 0 else { continue }
      exactTests += batch.count
      numbers += batch.elements(in: geometry.prepared(edges))
    }
    guard geometries.count > 1 else { return numbers }
    return Set(numbers).sorted()
  }

  /// The partners by the number of the left object; the pairs are in the order of the right objects.
  private func partners(of count: Int, _ pairs: [Pair]) -> [ArraySlice<JoinPartner>] {
    var ends = [Int](repeating: 0, count: count + 1)
    for pair in pairs { ends[Int(pair.left) + 1] += 1 }
    for number in 0..<count { ends[number + 1] += ends[number] }
    var next = ends
    var partners = [JoinPartner](repeating: JoinPartner(key: 0), count: pairs.count)
    for pair in pairs {
      partners[next[Int(pair.left)]] = JoinPartner(key: keys[Int(pair.right)])
      next[Int(pair.left)] += 1
    }
    return (0..<count).map { partners[ends[$0]..<ends[$0 + 1]] }
  }
}
