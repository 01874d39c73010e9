package import CadastreModel
package import CadastreSQLite

/// A search for the objects of one class that a change set affects: changed objects, and objects with links
/// to changed ones.
///
/// The search follows link indexes backwards from the changes. Its cost depends on the number of changes
/// and of links to them, not on the number of objects.
package struct ChangeTrace: Sendable {
  /// The objects of a class at one end of a chain of links.
  struct Node {
    let className: String
    /// The columns whose changes are relevant.
    var columns: ColumnSet
    /// Whether inserted objects count as changed.
    var countsInsertions = false
    /// The links to this node.
    var edges: [Edge] = []
  }

  /// A link from the objects of the node `source` to the objects of this node.
  struct Edge {
    let source: Int
    let link: Link
  }

  enum Link {
    /// A link in the source's objects.
    case forwards(Catalogue.LinkSource)
    /// A link to the source's objects, in a column of this node's objects.
    case backwards(Int)
    /// Links to the source's objects, in a collection of this node's objects.
    case backwardsFromCollection(CollectionLayout)
  }

  private(set) var nodes: [Node]

  /// Creates a trace of columns of a class, without links.
  package init(_ className: String, columns: ColumnSet = []) {
    nodes = [Node(className: className, columns: columns)]
  }

  /// Creates a trace of all columns of a class and of the objects within a number of links.
  package init(_ className: String, levels: Int, in catalogue: Catalogue) {
    self.init(className, columns: catalogue.allColumns(of: className))
    var level = [className: 0]
    for _ in 0..<levels {
      var next: [String: Int] = [:]
      for target in catalogue.tables {
        for source in catalogue.sources(ofLinksTo: target.schema.className) {
          guard let start = level[source.ownerClass] else { continue }
          let name = target.schema.className
          let node = next[name] ?? addNode(name, catalogue.allColumns(of: name))
          next[name] = node
          nodes[node].edges.append(Edge(source: start, link: .forwards(source)))
        }
      }
      level = next
    }
  }

  /// Creates a trace of columns of a class, and of the objects to which links in these columns lead.
  package init(_ className: String, columns: [String: ColumnSet], in catalogue: Catalogue) {
    self.init(className, columns: columns[className] ?? [])
    var nodesByClass = [className: 0]
    for (name, columns) in columns where name != className {
      nodesByClass[name] = addNode(name, columns)
    }
    for (name, node) in nodesByClass {
      for source in catalogue.sources(ofLinksTo: name) {
        guard let start = nodesByClass[source.ownerClass],
          nodes[start].columns.contains(source.column)
        else { continue }
        nodes[node].edges.append(Edge(source: start, link: .forwards(source)))
      }
    }
  }

  private mutating func addNode(_ className: String, _ columns: ColumnSet = []) -> Int {
    nodes.append(Node(className: className, columns: columns))
    return nodes.count - 1
  }

  // MARK: Building

  /// Adds columns to a node; node 0 is the class itself.
  package mutating func watch(_ columns: ColumnSet, at node: Int) {
    nodes[node].columns.formUnion(columns)
  }

  /// Follows a link column of a node's objects to another class; returns the node of the linked objects.
  package mutating func follow(
    column: Int, to className: String, from node: Int
  ) -> Int {
    follow(.forwards(.column(nodes[node].className, column)), to: className, from: node)
  }

  /// Follows the links in a collection; returns the node of the linked objects.
  package mutating func follow(
    _ collection: CollectionLayout, to className: String, from node: Int
  ) -> Int {
    follow(.forwards(.collection(collection)), to: className, from: node)
  }

  /// Follows links backwards to the objects that contain them; returns the node of these objects.
  ///
  /// An object that loses a link is found only in the version before the changes.
  package mutating func follow(backwards location: LinkLocation, from node: Int) -> Int? {
    let name = location.layout.schema.className
    let next: Int
    switch location.field {
    case .link(let column), .owned(let column):
      next = follow(.backwards(column), to: name, from: node)
      nodes[next].columns.insert(column)
    case .collection(let collection):
      next = follow(.backwardsFromCollection(collection), to: name, from: node)
      nodes[next].columns.insert(collection.countColumn)
    case .scalar, .embedded, .pointType, .pointCoordinates: return nil
    }
    nodes[next].countsInsertions = true
    return next
  }

  private mutating func follow(_ link: Link, to className: String, from node: Int) -> Int {
    let next = addNode(className)
    nodes[next].edges.append(Edge(source: node, link: link))
    return next
  }

  // MARK: Evaluation

  /// Whether links are followed backwards, so that the search also needs the version before the changes.
  package var followsBackwards: Bool { nodes.contains(where: \.countsInsertions) }

  /// Returns whether changes affect one object of the class.
  ///
  /// - Complexity: O(1) where no links are followed.
  package func reaches(
    _ key: ObjectKey, from changes: ChangeRange, _ reader: any StoreReader
  ) throws(StoreError) -> Bool {
    guard nodes.count == 1 else {
      return try keys(changedBy: changes, reader, limit: .max)?.contains(key.rawValue) ?? true
    }
    let changed = changes.classes[nodes[0].className]?.modified[key.rawValue]
    return changed.map { !$0.isDisjoint(with: nodes[0].columns) } ?? false
  }

  /// Returns the keys of the affected objects of the class, without inserted and deleted objects.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - reader: The version after the changes.
  ///   - limit: The maximum number of objects to visit, including linked ones.
  /// - Returns: The keys, ascending; nil where the search would visit more objects.
  /// - Throws: ``StoreError`` when reading fails.
  package func keys(
    changedBy changes: ChangeRange, _ reader: any StoreReader, limit: Int
  ) throws(StoreError) -> [Int64]? {
    try keys(changedBy: changes, reader, limit: limit) { $0.inserted }
  }

  /// Returns the keys of the objects that the changed or deleted objects affected before the changes.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - reader: The version before the changes.
  /// - Returns: The keys, ascending.
  /// - Throws: ``StoreError`` when reading fails.
  package func keys(
    changedBy changes: ChangeRange, before reader: any StoreReader
  ) throws(StoreError) -> [Int64] {
    try keys(changedBy: changes, reader, limit: .max) { $0.deleted } ?? []
  }

  private func keys<Keys: Collection<Int64>>(
    changedBy changes: ChangeRange, _ reader: any StoreReader, limit: Int,
    added: (ClassChanges) -> Keys
  ) throws(StoreError) -> [Int64]? {
    let classes = changes.classes
    let follows = nodes.contains { !$0.edges.isEmpty && classes[$0.className] != nil }
    guard follows else {
      // Without links to the changed objects, only these are affected.
      let affected = classes[nodes[0].className]?.modified.keys(modifiedIn: nodes[0].columns) ?? []
      return affected.count <= limit ? affected : nil
    }
    var search = Search(nodes)
    for (className, changed) in classes {
      for (number, node) in nodes.enumerated() where node.className == className {
        if node.countsInsertions {
          let added = added(changed)
          guard added.count <= limit else { return nil }
          for key in added { search.visit(number, key) }
        }
        for key in changed.modified.keys(modifiedIn: node.columns) { search.visit(number, key) }
      }
    }
    while search.visitedCount <= limit, let object = search.pending.popLast() {
      let node = nodes[object.node]
      for edge in node.edges {
        for source in try edge.link.sources(of: object.key, node.className, reader) {
          search.visit(edge.source, source)
        }
      }
    }
    return search.visitedCount <= limit ? search.affected.sorted() : nil
  }

  /// The objects that one evaluation has visited.
  private struct Search {
    /// An object at a node.
    struct Visit: Hashable {
      let node: Int
      let key: Int64
    }

    private let nodes: [Node]
    /// The keys of the affected objects of the class.
    private(set) var affected: Set<Int64> = []
    /// The objects at other nodes.
    private var linked: Set<Visit> = []
    /// The objects whose links are to be followed.
    var pending: [Visit] = []

    init(_ nodes: [Node]) { self.nodes = nodes }

    var visitedCount: Int { affected.count + linked.count }

    mutating func visit(_ node: Int, _ key: Int64) {
      let visit = Visit(node: node, key: key)
      let isNew = node == 0 ? affected.insert(key).inserted : linked.insert(visit).inserted
      if isNew, !nodes[node].edges.isEmpty { pending.append(visit) }
    }
  }
}

extension ModifiedRows {
  /// Returns the keys of the rows in which some of the columns are modified, ascending.
  fileprivate func keys(modifiedIn columns: ColumnSet) -> [Int64] {
    var keys: [Int64] = []
    var isAscending = true
    for (key, modified) in self where !modified.isDisjoint(with: columns) {
      isAscending = isAscending && keys.last ?? .min <= key
      keys.append(key)
    }
    return isAscending ? keys : RadixSort.ascending(keys)
  }
}

extension ChangeTrace.Link {
  /// Returns the keys of the objects whose links lead to an object.
  fileprivate func sources(
    of key: Int64, _ className: String, _ reader: any StoreReader
  ) throws(StoreError) -> [Int64] {
    switch self {
    case .forwards(.column(let owner, let column)):
      guard let layout = reader.catalogue.layout(owner) else { return [] }
      return try LinkIndexSearch(column, layout, reader)?.keys(linkingTo: ObjectKey(key)) ?? []
    case .forwards(.collection(let collection)):
      return try CollectionReader(collection, reader).owners(linkingTo: ObjectKey(key))
    case .backwards(let column):
      guard let layout = reader.catalogue.layout(className),
        case .link(let target)? = try reader.value(layout, ObjectKey(key), column)
      else { return [] }
      return [target.rawValue]
    case .backwardsFromCollection(let collection):
      return try CollectionReader(collection, reader).values(ObjectKey(key)).compactMap { value in
        if case .link(let target) = value { target.rawValue } else { nil }
      }
    }
  }
}

extension Catalogue {
  fileprivate func allColumns(of className: String) -> ColumnSet {
    ColumnSet(0..<(layout(className)?.columns.count ?? 0))
  }
}

extension Catalogue.LinkSource {
  /// The class whose objects contain the links.
  fileprivate var ownerClass: String {
    switch self {
    case .column(let owner, _): owner
    case .collection(let layout): layout.ownerClass
    }
  }

  /// The column that is modified when the links change.
  fileprivate var column: Int {
    switch self {
    case .column(_, let column): column
    case .collection(let layout): layout.countColumn
    }
  }
}
