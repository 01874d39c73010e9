package import CadastreModel

/// A property path worked out against a schema: what to do step by step to get from an object to the
/// values at the path's end.
package struct PathRoute: Hashable, Sendable {
  /// One thing to do.
  package enum Hop: Hashable, Sendable {
    /// Go to a property's value, its object, or its whole collection; linking objects are a collection.
    case property(Property)
    /// Go to each element of a collection, or to each value in a map.
    case elements
    /// Go to the element of a list at a place; to nothing where there is none.
    case element(ListPlace)
    /// Go to the value of a map under a key; null where a map property lacks it, nothing where a
    /// value of any type does.
    case entry(String)
    /// Go to each key of a map.
    case keys
    /// From a value of any type: the value under a key of a map, or the property of an object.
    case member(String)
    /// The number of links of all kinds that lead here.
    case incomingLinks
    /// The number of elements; of bytes in text and data; of objects, 0 or 1, behind a link.
    case count(ofLink: Bool)
    /// The bytes of a text or of data; 0 of null.
    case length
    /// The name of a type: the property's, or that of the value found.
    case type(PropertyType?)
  }

  /// A place in a list.
  package enum ListPlace: Hashable, Sendable {
    /// So many from the beginning, counted from 0.
    case index(Int)
    /// The beginning.
    case first
    /// The end.
    case last
  }

  /// What the path stands for, from the object on; a collection at the end is not entered.
  package var hops: [Hop] = []
  /// What stands at the end.
  package var end: End
  /// Whether the path leads through collections, so that there may be any number of values.
  package var isToMany = false
  /// Whether the end may be null: it is optional itself, or lies behind something that may be null.
  package var isNullable = false
  /// The path as it was written.
  package let path: PropertyPath

  /// What stands at the end of a path.
  package enum End: Hashable, Sendable {
    /// An object of a class: the one that is asked, or one behind a link.
    case object(ObjectSchema)
    /// A collection as a whole, and the class of its objects.
    case collection(Property, of: ObjectSchema?)
    /// A single value of a type.
    case value(PropertyType)
  }

  /// What stands at the end, as messages name it.
  package var endDescription: String {
    switch end {
    case .object(let schema): "'\(schema.className)'"
    case .collection(let property, _): "'\(property.typeDescription)'"
    case .value(let type): "'\(type)'\(isToMany ? " for each of several elements" : "")"
    }
  }

  /// The route to each element, where it ends in a collection.
  package var entered: PathRoute {
    var route = self
    if case .collection(let property, let target) = end { route.enter(property, target: target) }
    return route
  }

  fileprivate mutating func enter(_ property: Property, target: ObjectSchema?) {
    hops.append(.elements)
    isToMany = true
    // What lies behind a null link adds no element.
    isNullable = property.isOptional
    if let target { end = .object(target) } else { end = .value(property.type) }
  }
}

extension Schema {
  /// Works a path out from a class.
  ///
  /// - Throws: ``QueryPredicateError`` at the step that does not fit, naming the class and suggesting the
  ///   nearest property.
  package func route(
    _ path: PropertyPath, from start: ObjectSchema
  ) throws(QueryPredicateError) -> PathRoute {
    var surveyor = RouteSurveyor(schema: self, route: PathRoute(end: .object(start), path: path))
    for index in path.steps.indices { try surveyor.take(index) }
    return surveyor.route
  }

  /// A property that stands for the objects of a class that link somewhere by one of its properties.
  package func linkingObjects(_ className: String, _ property: String) -> Property {
    Property(
      name: "@links.\(className).\(property)", type: .linkingObjects, objectClassName: className,
      linkOriginPropertyName: property)
  }
}

/// Takes the steps of a path one by one.
private struct RouteSurveyor {
  let schema: Schema
  var route: PathRoute
  private var previous: Property?

  init(schema: Schema, route: PathRoute) {
    self.schema = schema
    self.route = route
  }

  mutating func take(_ index: Int) throws(QueryPredicateError) {
    switch route.path.steps[index] {
    case .property(let name): try takeName(name, index)
    case .index(let place): try takeElement(.index(place), index)
    case .first: try takeElement(.first, index)
    case .last: try takeElement(.last, index)
    case .every, .values: try takeEvery(index)
    case .key(let key): try takeKey(key, index)
    case .keys: try takeKeys(index)
    case .links(let className, let property): try takeLinks(className, property, index)
    case .allLinks: try takeAllLinks(index)
    case .count: try takeCount(index)
    case .length: try takeLength(index)
    case .type: takeType()
    }
  }

  // MARK: Names

  private mutating func takeName(_ name: String, _ index: Int) throws(QueryPredicateError) {
    switch route.end {
    case .object(let owner): try takeProperty(name, of: owner, index)
    case .collection(let property, _): try takeName(name, in: property, index)
    case .value(.any):
      route.hops.append(.member(name))
    case .value(let type):
      throw error(
        "'\(previousName(index))' is of type '\(previous?.typeDescription ?? type.description)' and has no "
          + "property '\(name)'; only links and embedded objects lead on", index)
    }
  }

  private mutating func takeProperty(
    _ name: String, of owner: ObjectSchema, _ index: Int
  ) throws(QueryPredicateError) {
    guard let property = owner[name] ?? owner.computedProperty(name) else {
      let known = (owner.properties + owner.computedProperties).map(\.name)
      let nearest = NameSuggestion.nearest(to: name, among: known)
      throw error(
        "Property '\(name)' not found in object of type '\(owner.className)'"
          + (nearest.map { "; did you mean '\($0)'?" } ?? ""), index)
    }
    if property.type == .linkingObjects { try checkLinks(of: property, to: owner, index) }
    go(to: property)
  }

  /// Links are followed backwards from row to row; embedded objects in their owners' rows have none.
  private func checkLinks(
    of property: Property, to owner: ObjectSchema, _ index: Int
  ) throws(QueryPredicateError) {
    let classes = [owner.className, property.objectClassName ?? ""]
    guard let inline = classes.first(where: schema.isKeptInline) else { return }
    throw inlineError(property.name, inline, index)
  }

  private func inlineError(
    _ links: String, _ className: String, _ index: Int
  ) -> QueryPredicateError {
    error(
      "'\(links)' cannot be asked for: objects of '\(className)' are embedded in the rows of their "
        + "owners; ask for the owners instead", index)
  }

  private mutating func go(to property: Property) {
    route.isNullable = !route.hops.isEmpty || property.isOptional
    route.hops.append(.property(property))
    previous = property
    if property.isCollection {
      route.end = .collection(property, of: schema.target(of: property))
    } else if property.type == .object, let target = schema.target(of: property) {
      route.end = .object(target)
    } else {
      route.end = .value(property.type)
    }
  }

  private mutating func takeName(
    _ name: String, in property: Property, _ index: Int
  ) throws(QueryPredicateError) {
    if property.isMap { return goToEntry(name, of: property) }
    if let target = schema.target(of: property) {
      route.enter(property, target: target)
      return try takeProperty(name, of: target, index)
    }
    if property.type == .any {
      enter(property)
      return route.hops.append(.member(name))
    }
    if name == "length", index == route.path.steps.count - 1,
      property.type == .string || property.type == .data
    {
      return try takeLength(index)
    }
    throw error(
      "'\(property.name)' is of type '\(property.typeDescription)' and has no property '\(name)'; only "
        + "links and embedded objects lead on", index)
  }

  // MARK: Subscripts

  private mutating func takeElement(
    _ place: PathRoute.ListPlace, _ index: Int
  ) throws(QueryPredicateError) {
    switch route.end {
    case .collection(let property, _) where property.isArray:
      route.hops.append(.element(place))
      settle(on: property, isNullable: property.isOptional)
    case .value(.any): route.hops.append(.element(place))
    case .collection(let property, _):
      throw error(
        "'\(property.name)' is of type '\(property.typeDescription)' and does not support an index: "
          + "only lists and values of any type do", index)
    case .object, .value:
      throw error(
        "'\(previousName(index))' does not support an index: only lists and values of any type do",
        index)
    }
  }

  private mutating func takeKey(_ key: String, _ index: Int) throws(QueryPredicateError) {
    switch route.end {
    case .collection(let property, _) where property.isMap: goToEntry(key, of: property)
    case .value(.any): route.hops.append(.entry(key))
    case .collection, .object, .value:
      throw error(
        "'\(previousName(index))' does not support a key in brackets: only maps and values of any "
          + "type do", index)
    }
  }

  private mutating func goToEntry(_ key: String, of property: Property) {
    route.hops.append(.entry(key))
    settle(on: property, isNullable: true)
  }

  /// Stands on one element of a collection.
  private mutating func settle(on property: Property, isNullable: Bool) {
    route.isNullable = isNullable
    if let target = schema.target(of: property) {
      route.end = .object(target)
    } else {
      route.end = .value(property.type)
    }
  }

  private mutating func takeEvery(_ index: Int) throws(QueryPredicateError) {
    switch route.end {
    case .collection(let property, _) where property.isMap || route.path.steps[index] == .every:
      enter(property)
    case .value(.any):
      route.hops.append(.elements)
      route.isToMany = true
    case .collection, .object, .value:
      throw error("'\(previousName(index))' is no map and has no values", index)
    }
  }

  private mutating func enter(_ property: Property) {
    route.enter(property, target: schema.target(of: property))
  }

  private mutating func takeKeys(_ index: Int) throws(QueryPredicateError) {
    switch route.end {
    case .collection(let property, _) where property.isMap: break
    case .value(.any): break
    case .collection, .object, .value:
      throw error("'\(previousName(index))' is no map and has no keys", index)
    }
    route.hops.append(.keys)
    route.isToMany = true
    route.isNullable = false
    route.end = .value(.string)
  }

  // MARK: Links that come here

  private mutating func takeLinks(
    _ className: String, _ name: String, _ index: Int
  ) throws(QueryPredicateError) {
    let target = try enteredObject(index)
    guard let source = schema[className] else {
      let nearest = NameSuggestion.nearest(
        to: className, among: schema.objectSchema.map(\.className))
      throw error(
        "No class '\(className)' in the schema" + (nearest.map { "; did you mean '\($0)'?" } ?? ""),
        index)
    }
    guard let property = source[name], property.type == .object,
      property.objectClassName == target.className
    else {
      throw error(
        "No property '\(name)' found in type '\(className)' which links to type "
          + "'\(target.className)'", index)
    }
    let links = schema.linkingObjects(className, name)
    try checkLinks(of: links, to: target, index)
    go(to: links)
  }

  private mutating func takeAllLinks(_ index: Int) throws(QueryPredicateError) {
    let target = try enteredObject(index)
    if let previous, schema.isInline(previous) {
      throw inlineError("@links", target.className, index)
    }
    guard route.path.steps.indices.contains(index + 1), route.path.steps[index + 1] == .count else {
      throw error("of all links only '@links.@count' can be asked for", index)
    }
    route.hops.append(.incomingLinks)
    route.end = .value(.int)
  }

  /// The class of the objects here, each of a collection's elements included.
  private mutating func enteredObject(_ index: Int) throws(QueryPredicateError) -> ObjectSchema {
    if case .collection(let property, _) = route.end { enter(property) }
    guard case .object(let target) = route.end else {
      throw error("only objects are linked to, and '\(previousName(index))' leads to none", index)
    }
    return target
  }

  // MARK: Counts and types

  private mutating func takeCount(_ index: Int) throws(QueryPredicateError) {
    let before = index > 0 ? route.path.steps[index - 1] : nil
    if before == .allLinks { return }
    switch route.end {
    case .collection: route.hops.append(.count(ofLink: false))
    case .object where index > 0: route.hops.append(.count(ofLink: true))
    case .value(.string), .value(.data), .value(.any): route.hops.append(.count(ofLink: false))
    case .object, .value:
      throw error(
        "Operation '@count' is not supported on property '\(previousName(index))' of type "
          + "'\(previous?.typeDescription ?? "object")'", index)
    }
    if case .collection = route.end { route.isNullable = false }
    route.end = .value(.int)
  }

  private mutating func takeLength(_ index: Int) throws(QueryPredicateError) {
    if case .collection(let property, _) = route.end { enter(property) }
    switch route.end {
    case .value(.string), .value(.data), .value(.any): break
    case .object, .collection, .value:
      throw error("'\(previousName(index))' has no length: only text and data have one", index)
    }
    route.hops.append(.length)
    route.end = .value(.int)
  }

  private mutating func takeType() {
    if case .collection(let property, _) = route.end { enter(property) }
    switch route.end {
    case .value(.any): route.hops.append(.type(nil))
    case .value(let type): route.hops.append(.type(type))
    case .object, .collection: route.hops.append(.type(.object))
    }
    route.isNullable = false
    route.end = .value(.string)
  }

  // MARK: Errors

  /// What a message calls the thing that a step stands on.
  private func previousName(_ index: Int) -> String {
    index == 0
      ? "the object" : PropertyPath(steps: Array(route.path.steps[..<index])).description
  }

  private func error(_ message: String, _ index: Int) -> QueryPredicateError {
    QueryPredicateError(.invalidQuery, message, span: route.path.span(ofStep: index))
  }
}
