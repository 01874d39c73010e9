public import CadastrePredicate

extension RealmCollection where Element: KeypathSortable {
  /// The objects in sections by a property, sorted by it.
  ///
  ///     realm.objects(Airport.self).sectioned(by: \.country)
  public func sectioned<Key: Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    Sections.checkKey(Key.self)
    return SectionedResults(
      Sectioning(sorted(by: keyPath, ascending: ascending), .property(keyPath)))
  }

  /// The objects in sections by a property, sorted by it first.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - sortDescriptors: The order of the objects; the first descriptor must name the property, or
  ///     the process stops.
  /// - Returns: The sections.
  public func sectioned<Key: Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try sectioned(by: keyPath, checking: sortDescriptors)
    }
  }

  /// Returns the objects in sections by a property, in an order from outside the program.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - sortDescriptors: The order of the objects; the first descriptor must name the property.
  /// - Returns: The sections.
  /// - Throws: `QueryPredicateError` for another first descriptor, and for a path that does not fit the
  ///   class.
  public func sectioned<Key: Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, checking sortDescriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> SectionedResults<Key, Element> {
    Sections.checkKey(Key.self)
    try Sections.check(sortDescriptors)
    let name = Element.propertyName(of: keyPath)
    guard sortDescriptors.first?.keyPath == name else {
      throw QueryPredicateError(
        .sort,
        "The section key path must match the primary sort descriptor: sections by '\(name)' need a sort "
          + "by '\(name)' first")
    }
    return SectionedResults(
      Sectioning(try sorted(checking: sortDescriptors), .property(keyPath)))
  }

  /// Returns the objects in sections by the key that a closure computes, in the order of some
  /// properties.
  ///
  /// No descriptor, and one that does not fit the class, stops the process.
  public func sectioned<Key: Persistable & Hashable>(
    by key: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try sectioned(by: key, checking: sortDescriptors)
    }
  }

  /// Returns the objects in sections by the key that a closure computes, in an order from outside the
  /// program.
  ///
  /// - Throws: `QueryPredicateError` for no descriptor, and for a path that does not fit the class.
  public func sectioned<Key: Persistable & Hashable>(
    by key: @escaping (Element) -> Key, checking sortDescriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> SectionedResults<Key, Element> {
    Sections.checkKey(Key.self)
    try Sections.check(sortDescriptors)
    return SectionedResults(Sectioning(try sorted(checking: sortDescriptors), .closure(key)))
  }
}

extension RealmCollection {
  /// Returns the values in order, in sections by the key that a closure computes.
  ///
  /// Objects have no order by themselves: give sort descriptors for them, or the process stops.
  public func sectioned<Key: Persistable & Hashable>(
    by key: @escaping (Element) -> Key, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    Sections.checkKey(Key.self)
    return ProgrammingError.orStop { () throws(QueryPredicateError) in
      guard queryResult.table == nil else { throw Sections.noOrder }
      return SectionedResults(Sectioning(sorted(ascending: ascending), .closure(key)))
    }
  }
}

/// Checks of the arguments of sections.
private enum Sections {
  static func checkKey<Key: Persistable>(_ type: Key.Type) {
    guard type.propertyShape.objectType == nil else {
      ProgrammingError.stop("Links are not supported as section keys.")
    }
  }

  static func check(_ descriptors: [SortDescriptor]) throws(QueryPredicateError) {
    if descriptors.isEmpty { throw noOrder }
  }

  static var noOrder: QueryPredicateError {
    QueryPredicateError(
      .sort,
      "There must be at least one SortDescriptor when using SectionedResults: sections come in the "
        + "order of their elements")
  }
}
