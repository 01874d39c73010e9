import CadastreFormatting
import CadastreModel
import CadastreSQLite
import CadastreStore

/// A copy of objects of a class to a class of another store.
///
///     let copy = StoreCopy(from: "a.cadastre", className: "Airport")
///     let count = try copy.run(to: "b.cadastre", as: "Airport")
///
/// Embedded objects are copied with their owners. Links to other objects become null or are left out of collections,
/// because the other store does not have these objects.
package struct StoreCopy {
  private let source: String
  private let className: String
  private let predicate: String?

  /// Creates a copy of the objects that match a predicate.
  ///
  /// - Parameters:
  ///   - source: The path of the store.
  ///   - className: The class.
  ///   - predicate: The predicate; nil for all objects.
  package init(from source: String, className: String, predicate: String? = nil) {
    self.source = source
    self.className = className
    self.predicate = predicate
  }

  /// The result of a copy.
  package struct Report: Sendable {
    /// The number of copied objects.
    package var count = 0
    /// The properties with links, which were not copied.
    package var links: [String] = []
    /// The number of links in mixed values, which became null.
    package var droppedLinks = 0
  }

  /// Copies the objects in one transaction of the other store.
  ///
  /// - Parameters:
  ///   - target: The path of the other store, which is created if it does not exist.
  ///   - name: The class there, which must be new.
  ///   - isDryRun: Whether only to count.
  /// - Returns: The number of objects, and the properties that were left out.
  /// - Throws: ``ChangeError`` if the class exists, if it has only links, if an embedded class of the other store has
  ///   other properties, or if the stores are the same, ``QueryPredicateError`` or `StoreError`.
  /// - Complexity: O(n log n) in the number of objects.
  package func run(to target: String, as name: String, isDryRun: Bool = false) throws -> Report {
    guard !Self.areSame(source, target) else {
      throw ChangeError("the stores are the same; expected another store")
    }
    let query = try StoreQuery(
      store: source, className: className, predicate: predicate)
    let keys = try query.keys()
    var report = Report()
    report.count = keys.count
    let all = query.schema
    let root = query.root
    report.links = Self.linkProperties(of: root, in: all, prefix: "")
    let copy = Self.withoutLinks(root, in: all).with(className: name)
    let embedded = Self.embeddedClasses(of: root, in: all).map { Self.withoutLinks($0, in: all) }
    for schema in [copy] + embedded where schema.properties.isEmpty {
      throw ChangeError("'\(printable(schema.className))' has only links, which are not copied")
    }
    // Errors of the schema precede the creation of a store.
    let errors = SchemaRules.errors(of: Schema([copy] + embedded), isStored: true)
    guard errors.isEmpty else { throw ChangeError(printable(errors.joined(separator: " "))) }
    guard !isDryRun else { return report }
    // A new store gets its name with its content, so that nothing remains of a copy that fails.
    let dropped = try NewStore.create(at: target) { file in
      try write(copy, embedded, keys, of: query, to: file)
    }
    report.droppedLinks =
      try dropped ?? write(copy, embedded, keys, of: query, to: OpenStores.store(at: target))
    return report
  }

  /// Writes the objects in one transaction, which an error rolls back.
  ///
  /// - Returns: The number of links in mixed values that became null.
  private func write(
    _ copy: ObjectSchema, _ embedded: [ObjectSchema], _ keys: [Int64], of query: StoreQuery,
    to file: StoreFile
  ) throws -> Int {
    let transaction = try file.beginWrite()
    do {
      let others = transaction.catalogue.schema
      for schema in embedded {
        try Self.compare(
          schema,
          with: others[schema.className].map {
            $0.isEmbedded ? Self.withoutLinks($0, in: others) : $0
          })
      }
      // Classes that the other store has stay as they are.
      let layout = try transaction.adoptNew(
        copy, embedded.filter { others[$0.className] == nil },
        days: try query.snapshot.dayColumns(query.layout))
      let rows = RowCopy(from: query.snapshot, to: transaction.catalogue, keepsLinks: false)
      let writer = RowWriter(
        transaction, layout, properties: Array(layout.schema.properties.indices))
      for key in keys { try writer.insert(try rows.row(ObjectKey(key), query.layout, as: layout)) }
      try transaction.commitRecorded(in: file)
      return rows.droppedLinks
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Throws an error if the other store has an embedded class of the same name with other properties.
  private static func compare(
    _ embedded: ObjectSchema, with other: ObjectSchema?
  ) throws(ChangeError) {
    guard let other else { return }
    let isSame =
      other.isEmbedded && other.properties.count == embedded.properties.count
      && embedded.properties.allSatisfy { property in
        other[property.name].map {
          $0.typeDescription == property.typeDescription && $0.isOptional == property.isOptional
        } == true
      }
    guard isSame else {
      throw ChangeError(
        "the other store has a class '\(printable(embedded.className))' with other fields; rename one of them"
      )
    }
  }

  /// Returns whether two paths name one file.
  private static func areSame(_ first: String, _ second: String) -> Bool {
    guard let identity = FileIdentity(path: first) else { return first == second }
    return FileIdentity(path: second) == identity
  }

  /// Returns whether a property holds links to objects that are no part of their owner.
  private static func isLink(_ property: Property, in schema: Schema) -> Bool {
    guard property.objectClassName != nil, let target = schema.target(of: property) else {
      return false
    }
    return !target.isEmbedded
  }

  private static func withoutLinks(_ root: ObjectSchema, in schema: Schema) -> ObjectSchema {
    let properties = root.properties.filter { !isLink($0, in: schema) }
    let names = Set(properties.map(\.name))
    return root.with(
      properties: properties,
      compoundIndexes: root.compoundIndexes.filter { $0.allSatisfy(names.contains) })
  }

  private static func linkProperties(
    of root: ObjectSchema, in schema: Schema, prefix: String
  ) -> [String] {
    root.properties.filter { isLink($0, in: schema) }.map { prefix + $0.name }
      + embeddedClasses(of: root, in: schema).flatMap { embedded in
        embedded.properties.filter { isLink($0, in: schema) }.map {
          "\(embedded.className).\($0.name)"
        }
      }
  }

  /// Returns the embedded classes that the properties of a class use, also through others.
  private static func embeddedClasses(of root: ObjectSchema, in schema: Schema) -> [ObjectSchema] {
    var found: [ObjectSchema] = []
    var rest = [root]
    while let next = rest.popLast() {
      for property in next.properties {
        guard let target = schema.target(of: property), target.isEmbedded,
          !found.contains(where: { $0.className == target.className })
        else { continue }
        found.append(target)
        rest.append(target)
      }
    }
    return found
  }
}
