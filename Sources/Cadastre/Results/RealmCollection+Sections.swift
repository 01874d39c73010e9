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
  ///     the
  ///     process stops.
  /// - Returns: The sections.
  public func sectioned<Key: Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    Sections.checkKey(Key.self)
    Sections.check(sortDescriptors)
    let name = Element.propertyName(of: keyPath)
    guard sortDescriptors.first?.keyPath == name else {
      ProgrammingError.stop(
        "The section key path must match the primary sort descriptor: sections by '\(name)' need a sort "
          + "by '\(name)' first.")
    }
    return SectionedResults(Sectioning(sorted(by: sortDescriptors), .property(keyPath)))
  }

  /// Returns the objects in sections by the key that a closure computes, in the order of some
  /// properties.
  public func sectioned<Key: Persistable & Hashable>(
    by key: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    Sections.checkKey(Key.self)
    Sections.check(sortDescriptors)
    return SectionedResults(Sectioning(sorted(by: sortDescriptors), .closure(key)))
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
    guard queryResult.table == nil else { Sections.stopForNoOrder() }
    return SectionedResults(Sectioning(sorted(ascending: ascending), .closure(key)))
  }
}

/// Checks of the arguments of sections.
private enum Sections {
  static func checkKey<Key: Persistable>(_ type: Key.Type) {
    guard type.propertyShape.objectType == nil else {
      ProgrammingError.stop("Links are not supported as section keys.")
    }
  }

  static func check(_ descriptors: [SortDescriptor]) {
    if descriptors.isEmpty { stopForNoOrder() }
  }

  static func stopForNoOrder() -> Never {
    ProgrammingError.stop(
      "There must be at least one SortDescriptor when using SectionedResults: sections come in the "
        + "order of their elements.")
  }
}
