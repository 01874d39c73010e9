package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// The dependencies of a query's result: the classes whose objects it ranges over, and the columns
/// that it reads.
package struct QueryDependencies {
  /// The classes whose new objects may change the result.
  package private(set) var classNames: Set<String>
  /// The columns that are read, by class.
  package private(set) var columns: [String: ColumnSet] = [:]
  /// Whether any change may change the result.
  package private(set) var isUnbounded = false
  /// Whether objects of other classes may change the result by the objects that they link to.
  package private(set) var followsLinksBackwards = false

  /// The dependencies of a predicate on objects of a class, and of paths that results are ordered
  /// by.
  package init(
    _ className: String, _ predicate: BoundPredicate, _ paths: [BoundPath], in schema: Schema,
    _ catalogue: Catalogue
  ) {
    let uses = PropertyUses(predicate, paths, in: schema)
    classNames = [className]
    // A link in a value of any type may lead to any object.
    isUnbounded = uses.followsAnyLink
    for className in uses.linkingClasses { addObjects(of: className, catalogue) }
    followsLinksBackwards = !uses.linkingClasses.isEmpty
    for use in uses.properties { add(use, schema, catalogue) }
  }

  /// The dependencies of the elements of a collection property.
  package init(of collection: CollectionLayout) {
    classNames = []
    columns = [collection.ownerClass: [collection.countColumn]]
  }

  /// Adds the dependencies of another query.
  package mutating func formUnion(_ other: QueryDependencies) {
    classNames.formUnion(other.classNames)
    for (className, read) in other.columns { columns[className, default: []].formUnion(read) }
    isUnbounded = isUnbounded || other.isUnbounded
    followsLinksBackwards = followsLinksBackwards || other.followsLinksBackwards
  }

  /// Adds the objects of a class; those of an embedded one come and go with their owners.
  private mutating func addObjects(of className: String, _ catalogue: Catalogue) {
    if catalogue.layout(className) != nil { classNames.insert(className) }
    for table in catalogue.tables
    where table.fields.contains(where: { $0.holds(className) }) {
      classNames.insert(table.schema.className)
    }
  }

  /// Adds the columns of a property, wherever objects of its class are stored.
  private mutating func add(
    _ use: PropertyUses.Use, _ schema: Schema, _ catalogue: Catalogue
  ) {
    if let layout = catalogue.layout(use.className),
      let index = layout.schema.index(of: use.propertyName)
    {
      insert(layout.fields[index].columns, layout)
    }
    if let owner = schema[use.className], owner.isEmbedded {
      for table in catalogue.tables {
        for field in table.fields where field.holds(use.className) {
          insert(field.columns, table)
        }
      }
    }
    // Points are read as a whole, their columns are no properties.
    if let property = schema[use.className]?[use.propertyName],
      let target = schema.target(of: property), target.isPointShaped,
      let layout = catalogue.layout(target.className)
    {
      insert(0..<layout.columns.count, layout)
    }
  }

  private mutating func insert(_ range: Range<Int>, _ layout: TableLayout) {
    columns[layout.schema.className, default: []].formUnion(ColumnSet(range))
  }
}

extension Generation {
  /// Returns whether the result of a query that was computed in a generation is still valid.
  ///
  /// - Complexity: O(n) for n columns that the query reads.
  package func isUnchanged(_ dependencies: QueryDependencies, since computed: UInt64) -> Bool {
    computed >= start && !dependencies.isUnbounded
      && dependencies.classNames.allSatisfy { hasSameRows($0, since: computed) }
      && dependencies.columns.allSatisfy { hasSameValues($0, $1, since: computed) }
  }
}

extension FieldLayout {
  /// The columns of the field in its row; of an embedded object all of them.
  fileprivate var columns: Range<Int> {
    switch self {
    case .scalar(let column), .link(let column), .owned(let column): column..<column + 1
    case .embedded(let embedded): embedded.columns
    case .collection(let collection): collection.countColumn..<collection.countColumn + 1
    case .pointType, .pointCoordinates: 0..<0
    }
  }

  /// Whether the field stores embedded objects of a class, at any depth.
  fileprivate func holds(_ className: String) -> Bool {
    guard case .embedded(let embedded) = self else { return false }
    return embedded.schema.className == className
      || embedded.fields.contains { $0.holds(className) }
  }
}
