import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// The classes of a Realm and their tables in the store.
final class ClassTables {
  /// The Swift classes, by name.
  let classes: [String: ClassInfo]
  /// The same classes as a schema.
  let schema: Schema
  /// The predicates that queries of the schema bound last.
  let boundPredicates: BoundPredicates
  // Classes rather than tables, because a table retains the Realm's core.
  private var byType: [ObjectIdentifier: ManagedClass] = [:]
  /// The type of the last lookup and its class; the lookups in a loop have the same type.
  @exclusivity(unchecked) private var lastByType: (type: ObjectIdentifier, managed: ManagedClass)?
  private var byName: [String: ManagedClass] = [:]
  /// The classes that the Realm does not list, which live as long as their objects.
  private var unlisted: [ObjectSchema: ClassInfo] = [:]
  /// The locations of links, by the class and the property that has them.
  private var linksByOrigin: [String: [LinkLocation]] = [:]
  /// The version of the catalogue that was last checked to have the classes.
  private var checkedVersion: Int64?
  /// The generation of the Realm.
  private let generation: Generation
  /// The invalidated instances of the Realm.
  private let revocations: Revocations
  /// The classes of earlier catalogues, to which objects may refer.
  private var earlier: [ManagedClass] = []

  init(
    _ classes: [String: ClassInfo], schema: Schema, _ generation: Generation,
    _ revocations: Revocations
  ) {
    self.generation = generation
    self.revocations = revocations
    self.classes = classes
    self.schema = schema
    boundPredicates = schema.boundPredicates
  }

  /// The class of a type; nil where it has no table, or the Realm does not manage it.
  func managed(_ type: ObjectBase.Type, in catalogue: @autoclosure () -> Catalogue) -> ManagedClass?
  {
    let identity = ObjectIdentifier(type)
    if let lastByType, lastByType.type == identity { return lastByType.managed }
    guard let found = byType[identity] ?? managedFirst(type, in: catalogue()) else { return nil }
    lastByType = (identity, found)
    return found
  }

  /// The class of a type that is used for the first time.
  private func managedFirst(
    _ type: ObjectBase.Type, in catalogue: @autoclosure () -> Catalogue
  ) -> ManagedClass? {
    let name = type.className()
    guard classes[name] != nil else { return nil }
    let made = managed(named: name, in: catalogue())
    byType[ObjectIdentifier(type)] = made
    return made
  }

  /// The class of a name; nil where it has no table.
  ///
  /// A class that the Realm does not list has the properties that the file describes, and its
  /// objects can only be read.
  func managed(
    named name: String, in catalogue: @autoclosure () -> Catalogue
  ) -> ManagedClass? {
    if let known = byName[name] { return known }
    guard let layout = catalogue().layout(name) else { return nil }
    let made = ManagedClass(
      info: info(of: layout.schema), layout: layout, generation.changes(of: name),
      revocations.of(name))
    byName[name] = made
    return made
  }

  /// The Swift class of a stored one, or its description in the file.
  func info(of schema: ObjectSchema) -> ClassInfo {
    if let info = classes[schema.className] ?? unlisted[schema] { return info }
    let made = ClassInfo(stored: schema)
    unlisted[schema] = made
    return made
  }

  /// The locations of the links that a property of linking objects contains.
  func links(
    of property: Property, in catalogue: @autoclosure () -> Catalogue
  ) -> [LinkLocation] {
    guard let origin = property.linkOriginPropertyName, let name = property.objectClassName else {
      return []
    }
    let key = "\(name).\(origin)"
    if let known = linksByOrigin[key] { return known }
    let locations = catalogue().linkLocations(of: origin, in: name)
    linksByOrigin[key] = locations
    return locations
  }

  /// Checks that a version of the store still has the classes.
  ///
  /// - Returns: Whether the catalogue is another than the one checked before, so that tables have
  ///   changed.
  /// - Throws: `StoreError` `schemaChanged` where another process has migrated it.
  func check(_ catalogue: Catalogue, path: String) throws(StoreError) -> Bool {
    guard catalogue.version != checkedVersion else { return false }
    for (name, info) in classes {
      guard let stored = catalogue.schema[name], stored.isEmbedded == info.schema.isEmbedded,
        stored.properties.map(\.withoutIndexes) == info.schema.properties.map(\.withoutIndexes)
      else {
        throw StoreError(.schemaChanged(className: name), path: path)
      }
    }
    defer { checkedVersion = catalogue.version }
    return checkedVersion != nil
  }

  /// Discards the tables, after their layouts may have changed.
  func discardTables() {
    earlier += byName.values
    byType = [:]
    lastByType = nil
    byName = [:]
    linksByOrigin = [:]
  }

  /// Ends the use of the current snapshot by the sources of values.
  func releaseReaders() {
    for managed in byName.values { managed.values.releaseReader() }
  }

  /// Discards the rows that a failed transaction did not insert.
  func forgetRefusedRows() {
    for managed in byName.values { managed.values.forgetRefusedRows() }
  }

  /// Discards the rows in memory, which are not valid any more.
  func forgetRows() {
    for managed in byName.values { managed.values.forgetRows() }
  }
}
