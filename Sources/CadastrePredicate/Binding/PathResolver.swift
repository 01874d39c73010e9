package import CadastreModel

extension Schema {
  /// Resolves a path from a class.
  ///
  /// - Throws: ``QueryPredicateError`` at the step that does not fit, naming the class and
  ///   suggesting the nearest property.
  package func resolve(
    _ path: PropertyPath, from start: ObjectSchema
  ) throws(QueryPredicateError) -> BoundPath {
    var resolver = PathResolver(schema: self, root: start, path: path)
    for index in path.steps.indices { try resolver.takeStep(at: index) }
    return resolver.resolved
  }

  /// Resolves measures of a geometry, such as the members of an aggregate of geometries.
  ///
  /// - Throws: ``QueryPredicateError`` at the step that is no measure.
  package func resolveMeasures(
    _ path: PropertyPath
  ) throws(QueryPredicateError) -> BoundPath {
    var resolver = PathResolver(schema: self, geometryMeasures: path)
    for index in path.steps.indices { try resolver.takeStep(at: index) }
    return resolver.resolved
  }

  /// The property at the end of a path that consists of names only.
  ///
  /// - Throws: ``QueryPredicateError`` where the path does not fit, or has other steps than names.
  package func property(
    at path: PropertyPath, from start: ObjectSchema
  ) throws(QueryPredicateError) -> Property {
    guard let last = try resolve(path, from: start).properties?.last else {
      throw QueryPredicateError(
        .invalidQuery, "'\(path)' leads through more than links and embedded objects",
        span: path.span)
    }
    return last.property
  }

  /// The computed property with the objects of a class that link to an object by one of its
  /// properties.
  package func linkingObjects(_ className: String, _ property: String) -> Property {
    Property(
      name: "@links.\(className).\(property)", type: .linkingObjects, objectClassName: className,
      linkOriginPropertyName: property)
  }
}

/// Resolves the steps of a path one by one.
private struct PathResolver {
  let schema: Schema
  let root: ObjectSchema
  private(set) var path: PropertyPath
  private var hops: [BoundPath.Hop] = []
  /// For each hop the index of its step; nil while the indexes are equal.
  private var steps: [Int]?
  private var end: BoundPath.End
  private var isToMany = false
  private var isNullable = false
  private var previous: Property?
  /// The index of the step that is being resolved.
  private var index = 0

  init(schema: Schema, root: ObjectSchema, path: PropertyPath) {
    self.schema = schema
    self.root = root
    self.path = path
    end = .object(root)
  }

  init(schema: Schema, geometryMeasures path: PropertyPath) {
    self.init(schema: schema, root: ObjectSchema(className: "", properties: []), path: path)
    end = .value(.geometry)
  }

  /// The path, once all steps are taken.
  var resolved: BoundPath {
    BoundPath(
      root: root, path: path, hops: hops, steps: steps, end: end, isToMany: isToMany,
      isNullable: isNullable)
  }

  private mutating func append(_ hop: BoundPath.Hop) {
    if steps == nil, index != hops.count { steps = Array(hops.indices) }
    hops.append(hop)
    steps?.append(index)
  }

  mutating func takeStep(at index: Int) throws(QueryPredicateError) {
    self.index = index
    switch path.steps[index] {
    case .property(let name): try takeName(name)
    case .index(let position): try takeElement(.index(position))
    case .first: try takeElement(.first)
    case .last: try takeElement(.last)
    case .every, .values: try takeEvery()
    case .key(let key): try takeKey(key)
    case .keys: try takeKeys()
    case .links(let className, let property): try takeLinks(className, property)
    case .allLinks: try takeAllLinks()
    case .count: try takeCount()
    case .length: try takeLength()
    case .type: takeType()
    case .part(let name): try takePart(name)
    }
  }

  // MARK: Names

  private mutating func takeName(_ name: String) throws(QueryPredicateError) {
    switch end {
    case .object(let owner): try takeProperty(name, of: owner)
    case .collection(let property, _): try takeName(name, in: property)
    case .value(.any):
      append(.member(name))
    case .value(let type) where type == .geometry || type == .date:
      try takeMeasure(name, of: type)
    case .value(let type):
      throw error(
        "'\(previousName)' is of type '\(previous?.typeDescription ?? type.description)' and has no "
          + "property '\(name)'; only links and embedded objects lead on")
    }
  }

  private mutating func takeProperty(
    _ name: String, of owner: ObjectSchema
  ) throws(QueryPredicateError) {
    guard let property = owner[name] ?? owner.computedProperty(name) else {
      if owner.isPointShaped, let member = PointMember(rawValue: name) {
        try takeProperty(ObjectSchema.pointCoordinatesName, of: owner)
        return try takeElement(.index(member.index))
      }
      let known = (owner.properties + owner.computedProperties).map(\.name)
      let nearest = NameSuggestion.nearest(to: name, among: known)
      throw error(
        "Property '\(name)' not found in object of type '\(owner.className)'"
          + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    }
    go(to: property, of: owner)
  }

  private mutating func go(to property: Property, of owner: ObjectSchema) {
    isNullable = !hops.isEmpty || property.isOptional
    append(
      .property(
        BoundProperty(
          property, index: owner.index(of: property.name), of: owner, in: schema)))
    previous = property
    if property.isCollection {
      end = .collection(property, of: schema.target(of: property))
    } else if property.type == .object, let target = schema.target(of: property) {
      end = .object(target)
    } else {
      end = .value(property.type)
    }
  }

  private mutating func takeName(
    _ name: String, in property: Property
  ) throws(QueryPredicateError) {
    if property.isMap { return goToEntry(name, of: property) }
    if let target = schema.target(of: property) {
      enter(property)
      return try takeProperty(name, of: target)
    }
    if property.type == .any {
      enter(property)
      return append(.member(name))
    }
    if property.type == .geometry || property.type == .date {
      enter(property)
      return try takeMeasure(name, of: property.type)
    }
    if name == "length", index == path.steps.count - 1,
      property.type == .string || property.type == .data
    {
      return try takeLength()
    }
    throw error(
      "'\(property.name)' is of type '\(property.typeDescription)' and has no property '\(name)'; only "
        + "links and embedded objects lead on")
  }

  private mutating func takeMeasure(
    _ name: String, of type: PropertyType
  ) throws(QueryPredicateError) {
    guard let measure = ValueMeasure(name, of: type) else {
      let names = ValueMeasure.names(of: type)
      let nearest = NameSuggestion.nearest(to: name, among: names)
      throw error(
        "'\(previousName)' is a \(type) and has no \(type == .date ? "part" : "measure") '\(name)'; "
          + (nearest.map { "did you mean '\($0)'?" }
            ?? "it has \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"))
    }
    append(.measure(measure))
    isNullable = isNullable || measure.isOptional
    end = .value(measure.type)
  }

  /// Goes to a part of a date, or of each date of a collection.
  ///
  /// The resolved path has the name of the part. After a value of any type it has the function instead, because a name
  /// there is also the key of a map. The part of a value that is no date is null.
  private mutating func takePart(_ name: String) throws(QueryPredicateError) {
    let type: PropertyType?
    let description: String
    switch end {
    case .value(let single): (type, description) = (single, single.description)
    case .collection(let property, _):
      (type, description) = (property.type, property.typeDescription)
    case .object(let target): (type, description) = (nil, target.className)
    }
    guard type == .date || type == .any else {
      throw error("\(name)(…) needs a date, and '\(previousName)' is of type '\(description)'")
    }
    var steps = Array(path.steps.dropLast())
    if case .collection(let property, _) = end {
      // A name after a map is a key.
      if property.isMap { steps.append(.values) }
      enter(property)
    }
    index = steps.count
    steps.append(type == .any ? .part(name) : .property(name))
    path = PropertyPath(steps: steps, span: path.span)
    try takeMeasure(name, of: .date)
    if type == .any { isNullable = true }
  }

  // MARK: Subscripts

  private mutating func takeElement(
    _ position: BoundPath.ListPosition
  ) throws(QueryPredicateError) {
    if case .index(let index) = position, index < 0 {
      throw error("Cannot pass a negative value for 'index': \(index)")
    }
    switch end {
    case .collection(let property, _) where property.isArray:
      append(.element(position))
      goToElement(of: property, isNullable: property.isOptional)
    case .value(.any): append(.element(position))
    case .collection(let property, _):
      throw error(
        "'\(property.name)' is of type '\(property.typeDescription)' and does not support an index: "
          + "only lists and values of any type do")
    case .object, .value:
      throw error(
        "'\(previousName)' does not support an index: only lists and values of any type do")
    }
  }

  private mutating func takeKey(_ key: String) throws(QueryPredicateError) {
    switch end {
    case .collection(let property, _) where property.isMap: goToEntry(key, of: property)
    case .value(.any): append(.entry(key))
    case .collection, .object, .value:
      throw error(
        "'\(previousName)' does not support a key in brackets: only maps and values of any "
          + "type do")
    }
  }

  private mutating func goToEntry(_ key: String, of property: Property) {
    append(.entry(key))
    goToElement(of: property, isNullable: true)
  }

  /// Leads to one element of a collection.
  private mutating func goToElement(of property: Property, isNullable: Bool) {
    self.isNullable = isNullable
    end = schema.target(of: property).map(BoundPath.End.object) ?? .value(property.type)
  }

  private mutating func takeEvery() throws(QueryPredicateError) {
    switch end {
    case .collection(let property, _) where property.isMap || path.steps[index] == .every:
      enter(property)
    case .value(.any):
      append(.elements)
      isToMany = true
    case .collection, .object, .value:
      throw error("'\(previousName)' is no map and has no values")
    }
  }

  private mutating func enter(_ property: Property) {
    append(.elements)
    isToMany = true
    // A null link on the path adds no element.
    isNullable = property.isOptional
    end = schema.target(of: property).map(BoundPath.End.object) ?? .value(property.type)
  }

  private mutating func takeKeys() throws(QueryPredicateError) {
    switch end {
    case .collection(let property, _) where property.isMap: break
    case .value(.any): break
    case .collection, .object, .value:
      throw error("'\(previousName)' is no map and has no keys")
    }
    append(.keys)
    isToMany = true
    isNullable = false
    end = .value(.string)
  }

  // MARK: Incoming links

  private mutating func takeLinks(
    _ className: String, _ name: String
  ) throws(QueryPredicateError) {
    let target = try enteredObject()
    guard let source = schema[className] else {
      let nearest = NameSuggestion.nearest(
        to: className, among: schema.objectSchema.map(\.className))
      throw error(
        "No class '\(className)' in the schema" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    }
    guard let property = source[name], property.type == .object,
      property.objectClassName == target.className
    else {
      throw error(
        "No property '\(name)' found in type '\(className)' which links to type "
          + "'\(target.className)'")
    }
    go(to: schema.linkingObjects(className, name), of: target)
  }

  private mutating func takeAllLinks() throws(QueryPredicateError) {
    let target = try enteredObject()
    if let previous, schema.isInline(previous) {
      throw error(
        "'@links' cannot be queried: objects of '\(target.className)' are embedded in the rows of their "
          + "owners, which alone link to them")
    }
    guard path.steps.indices.contains(index + 1), path.steps[index + 1] == .count else {
      throw error("only the count of all links can be queried: '@links.@count'")
    }
    append(.incomingLinks)
    end = .value(.int)
  }

  /// The class of the objects here, each of a collection's elements included.
  private mutating func enteredObject() throws(QueryPredicateError) -> ObjectSchema {
    if case .collection(let property, _) = end { enter(property) }
    guard case .object(let target) = end else {
      throw error("only objects are linked to, and '\(previousName)' leads to none")
    }
    return target
  }

  // MARK: Counts and types

  private mutating func takeCount() throws(QueryPredicateError) {
    let before = index > 0 ? path.steps[index - 1] : nil
    if before == .allLinks { return }
    switch end {
    case .collection: append(.count(ofLink: false))
    case .object where index > 0: append(.count(ofLink: true))
    case .value(.string), .value(.data), .value(.any): append(.count(ofLink: false))
    case .object, .value:
      throw error(
        "Operation '@count' is not supported on property '\(previousName)' of type "
          + "'\(previous?.typeDescription ?? "object")'")
    }
    if case .collection = end { isNullable = false }
    end = .value(.int)
  }

  private mutating func takeLength() throws(QueryPredicateError) {
    if case .collection(let property, _) = end { enter(property) }
    switch end {
    case .value(.string), .value(.data), .value(.any): break
    case .object, .collection, .value:
      throw error("'\(previousName)' has no length: only text and data have one")
    }
    append(.length)
    end = .value(.int)
  }

  private mutating func takeType() {
    if case .collection(let property, _) = end { enter(property) }
    switch end {
    case .value(.any): append(.type(nil))
    case .value(let type): append(.type(type))
    case .object, .collection: append(.type(.object))
    }
    isNullable = false
    end = .value(.string)
  }

  // MARK: Errors

  /// The name in messages of what the steps so far lead to.
  private var previousName: String {
    index == 0
      ? "the object" : PropertyPath(steps: Array(path.steps[..<index])).description
  }

  private func error(_ message: String) -> QueryPredicateError {
    QueryPredicateError(.invalidQuery, message, span: path.span(ofStep: index))
  }
}
