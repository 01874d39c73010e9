import CadastreModel

/// The objects that are being made for `Realm.create`.
///
/// Unmanaged objects in the value are copied, each once; the copies are filled one after the other,
/// so that chains of any length need no deep stack.
// Safe because it is used by the one call of `create` that made it.
final class ObjectCreation: @unchecked Sendable {
  /// The creation of the current call; nil outside of `Realm.create`.
  @TaskLocal static var current: ObjectCreation?

  /// A step from the given value to a value in it.
  enum Step {
    case property(String)
    case index(Int)
    case key(String)
  }

  /// The check of values from outside the program.
  struct Check {
    /// The Realm in which linked objects are found by their keys; nil without one.
    let core: RealmCore?
    var mode = Realm.CheckingMode.lenient
    var policy = Realm.UpdatePolicy.error
  }

  /// The first value that does not fit; it stops the process where there is no check.
  private(set) var failure: InvalidValueError?
  /// The check; nil where the values are those of the program.
  private let check: Check?
  /// The location of the value that is being converted, where values are checked.
  private var location: [Step] = []
  /// The innermost element that could not be converted, until its property is refused.
  private var unfit: (location: [Step], value: Any?, expected: String)?
  /// The number of lists and maps around the value of any type that is being converted.
  private var nestingLevel = 0
  private var copies: [ObjectIdentifier: (source: ObjectBase, copy: ObjectBase)] = [:]
  /// The copies to be filled, newest last; some are filled already.
  private var unfilled: [ObjectBase] = []
  /// The number of copies to be filled when the value of the current property was prepared.
  private var valueStart = 0
  /// The sources of the copies that are not filled yet, by copy.
  private var sources: [ObjectIdentifier: ObjectBase] = [:]
  /// The members that the values of mapped objects named, by owner and property.
  private var members: [ObjectIdentifier: [Int: Set<Int>]] = [:]
  /// The members that the value of the last mapped object named; nil for all.
  private var lastMembers: Set<Int>?

  init(_ check: Check? = nil) { self.check = check }

  /// Whether values from outside the program are being checked, which may be those of JSON.
  var isChecking: Bool { check != nil }

  /// Whether keys must be complete and known.
  var isStrict: Bool { check?.mode == .strict }

  /// The creation of the current call, if it checks values from outside the program.
  static var checking: ObjectCreation? { current.flatMap { $0.isChecking ? $0 : nil } }

  /// Whether values from outside the program are being checked, which may be those of JSON.
  static var isChecking: Bool { checking != nil }

  /// Returns the object of a class that a primary key in JSON leads to; nil where there is none.
  static func object(_ type: ObjectBase.Type, forKey key: Any) -> ObjectBase? {
    guard let check = current?.check else { return nil }
    return JSONValue.object(type, forKey: key, in: check.core)
  }

  /// Returns whether an object exists that is updated, so that it keeps the properties that are not given.
  func updates(_ className: String, _ primaryKey: Value) -> Bool {
    guard let check, check.policy == .modified, let core = check.core else { return false }
    return core.read(or: nil, { try $0.key(className, primaryKey: primaryKey) }) != nil
  }

  // MARK: Locations

  /// Converts a value at a step from the current location.
  func at<Result>(_ step: Step, _ convert: () -> Result) -> Result {
    location.append(step)
    defer { location.removeLast() }
    return convert()
  }

  /// Returns an element of a collection; nil, and notes the element, where it does not fit.
  func element<Element: Persistable>(_ value: Any?, at step: Step) -> Element? {
    at(step) {
      let element = Element.make(fromDynamic: value)
      if element == nil { noteUnfit(value, expected: ExpectedValue.text(of: Element.self)) }
      return element
    }
  }

  /// Notes the value at the current location as one that could not be converted, unless one within it was.
  func noteUnfit(_ value: Any?, expected: String) {
    if isChecking, unfit == nil { unfit = (location, value, expected) }
  }

  /// Forgets an element that could not be converted, because its value was read in another way.
  func forgetUnfit() { unfit = nil }

  // MARK: Errors

  /// Notes a value that does not fit, at the current location or at that of an element within it.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - property: The property; nil where the value is one for a whole object.
  ///   - value: The value.
  ///   - expected: What the property takes.
  ///   - kind: The kind of error.
  func note(
    _ className: String, _ property: String?, _ value: Any?, expected: String,
    kind: InvalidValueError.Kind = .value
  ) {
    defer { unfit = nil }
    guard failure == nil else { return }
    let found = unfit ?? (location: location, value: value, expected: expected)
    let start = found.location.lastIndex { if case .property = $0 { true } else { false } }
    let elements = start.map { found.location[($0 + 1)...] } ?? []
    failure = InvalidValueError(
      className, property, found.value, expected: found.expected, kind: kind,
      element: property == nil ? "" : Self.text(of: elements),
      path: Self.text(of: found.location[...]))
  }

  /// The text of a location, `dogs[3].age`; a long one is cut off.
  static func text(of steps: ArraySlice<Step>) -> String {
    var text = ""
    for step in steps {
      switch step {
      case .property(let name): text += (text.isEmpty ? "" : ".") + name
      case .index(let index): text += "[\(index)]"
      case .key(let key): text += "['\(key)']"
      }
      if text.utf8.count > 200 { return "\(text.prefix(200))…" }
    }
    return text
  }

  /// Converts a list or a map in others; nil where they are too many.
  func nested<Result>(atMost limit: Int, _ convert: () -> Result?) -> Result? {
    nestingLevel += 1
    defer { nestingLevel -= 1 }
    return nestingLevel > limit ? nil : convert()
  }

  /// The copy of an unmanaged object.
  func copy(of source: ObjectBase) -> ObjectBase {
    if let known = copies[ObjectIdentifier(source)] { return known.copy }
    // A copy that is not filled yet has no values that could be copied.
    if sources[ObjectIdentifier(source)] != nil { return source }
    let copy = type(of: source).init()
    copies[ObjectIdentifier(source)] = (source, copy)
    unfilled.append(copy)
    sources[ObjectIdentifier(copy)] = source
    return copy
  }

  /// Notes that the value of a property is being prepared: copies made from now on may be in it.
  func beginValue() { valueStart = unfilled.count }

  /// Sets the properties of the copies.
  func fillCopies() { fillCopies(downTo: 0) }

  private func fillCopies(downTo count: Int) {
    while unfilled.count > count { fill(unfilled.removeLast()) }
  }

  private func fill(_ copy: ObjectBase) {
    guard let source = sources.removeValue(forKey: ObjectIdentifier(copy)) else { return }
    copy.classInfo.fill(copy, from: source)
  }

  // MARK: Mapped objects

  /// Converts a value to an object that a mapping reads at once, so that copies in it are filled first.
  func filled<Stored>(_ convert: () -> Stored?) -> Stored? {
    let count = min(valueStart, unfilled.count)
    let stored = convert()
    let object = stored as? ObjectBase
    if let object { fill(object) }
    fillCopies(downTo: count)
    lastMembers = object?.givenProperties?.indexes
    return stored
  }

  /// Sets a property of a mapped object, and notes the members that the value named.
  ///
  /// - Parameters:
  ///   - property: The index of the property.
  ///   - owner: The object that has the property.
  ///   - set: Sets it; false where the value does not fit.
  /// - Returns: The result of `set`.
  func noteMembers(_ property: Int, of owner: ObjectBase, _ set: () -> Bool) -> Bool {
    lastMembers = nil
    defer { lastMembers = nil }
    let isSet = set()
    if let lastMembers { members[ObjectIdentifier(owner), default: [:]][property] = lastMembers }
    return isSet
  }

  /// Returns the properties that a value named, with the members of mapped objects.
  func given(_ named: Set<Int>, of object: ObjectBase) -> GivenProperties {
    members.removeValue(forKey: ObjectIdentifier(object)).map { .nested(named, members: $0) }
      ?? .flat(named)
  }
}

/// Sets properties from values whose types are known only at run time.
extension ClassInfo {
  /// Whether the properties of a class can be set from a value.
  func canFill(from value: Any) -> Bool {
    if DynamicValue.isUsualContainer(value) { return true }
    if value is [String: Any?] || DynamicValue.object(value) != nil || value is [Any?] {
      return true
    }
    return hasProperty(in: Members(of: value))
  }

  private func hasProperty(in members: Members) -> Bool {
    members.names.contains { schema.index(of: $0) != nil }
  }

  /// Sets the properties of a new object from a value, for `Realm.create`.
  func create(_ object: ObjectBase, from value: Any) {
    create(object, from: value, ObjectCreation())
  }

  /// Sets the properties of a new object from a value from outside the program.
  func create(
    _ object: ObjectBase, checking value: Any, _ check: ObjectCreation.Check
  ) throws(InvalidValueError) {
    let creation = ObjectCreation(check)
    create(object, from: value, creation)
    if let failure = creation.failure { throw failure }
  }

  private func create(_ object: ObjectBase, from value: Any, _ creation: ObjectCreation) {
    ObjectCreation.$current.withValue(creation) {
      object.givenProperties = creation.given(fill(object, from: value), of: object)
      creation.fillCopies()
    }
  }

  /// Sets properties from a dictionary, an array, another object, or any value with members of
  /// their names; returns which.
  ///
  /// Members of other names are ignored.
  @discardableResult
  func fill(_ object: ObjectBase, from value: Any) -> Set<Int> {
    if let creation = ObjectCreation.checking, creation.isStrict {
      return fill(object, strictlyFrom: value, creation)
    }
    return fill(object, leniently: value)
  }

  /// Sets properties as ``fill(_:from:)`` without requirements on the keys.
  func fill(_ object: ObjectBase, leniently value: Any) -> Set<Int> {
    // A cast to a dictionary of optionals converts all entries.
    if Swift.type(of: value) == [String: Any].self, let values = value as? [String: Any] {
      return fill(object) { name in values[name].map { given($0) } }
    }
    if let source = DynamicValue.object(value) {
      let schema = source.objectSchema
      let named = fill(object) { name -> Any?? in
        schema.index(of: name).map { given(source.dynamicValue($0), isShared: true) }
      }
      return source.fetchedRow == nil ? named : named.subtracting(markNotLoaded(object, as: source))
    }
    switch value {
    case let values as [String: Any?]:
      return fill(object) { name in values[name].map { given($0) } }
    case let values as [Any?]:
      guard values.count <= fields.count else {
        refuse(value, nil, expected: "\(fields.count) values at most") {
          "Invalid array input: it holds \(values.count) values, and '\(schema.className)' has "
            + "only \(fields.count) properties."
        }
        return []
      }
      let creation = ObjectCreation.checking
      for (index, value) in values.enumerated() {
        set(index, of: object, to: given(value), creation)
      }
      return Set(values.indices)
    default:
      let members = Members(of: value)
      guard hasProperty(in: members) else {
        refuse(value, nil, expected: "a dictionary, an array or an object") {
          "Invalid value '\(value)' to initialize object of type '\(schema.className)': give a "
            + "dictionary, an array or an object."
        }
        return []
      }
      return fill(object) { name in members[name].map { given($0) } }
    }
  }

  /// Marks the links of a copy that were not loaded for its source; returns these properties.
  private func markNotLoaded(_ copy: ObjectBase, as source: ObjectBase) -> [Int] {
    let unknown = fields.indices.filter { index in
      source.field(named: fields[index].name)?.isNotLoaded(in: source) ?? false
    }
    for index in unknown { fields[index].markNotLoaded(in: copy) }
    return unknown
  }

  private func fill(_ object: ObjectBase, from value: (String) -> Any??) -> Set<Int> {
    let creation = ObjectCreation.checking
    var named = Set<Int>(minimumCapacity: schema.properties.count)
    for index in schema.properties.indices {
      guard let value = value(schema.properties[index].name) else { continue }
      named.insert(index)
      set(index, of: object, to: value, creation)
    }
    return named
  }

  /// Sets a property to one of the values that were given, at its location if they are checked.
  private func set(
    _ index: Int, of object: ObjectBase, to value: Any?, _ creation: ObjectCreation?
  ) {
    guard let creation else { return set(index, of: object, to: value) }
    let property = schema.properties[index]
    creation.at(.property(property.name)) {
      guard !creation.isStrict || property.collection == nil || !DynamicValue.isNothing(value)
      else { return refuse(value, index) }
      set(index, of: object, to: value)
      creation.forgetUnfit()
    }
  }

  /// A value, in which objects that must stay as they are are replaced by copies.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - isShared: Whether it is that of another object.
  /// - Returns: The value to be set.
  private func given(_ value: Any?, isShared: Bool = false) -> Any? {
    guard let value, !DynamicValue.isUsual(value), !DynamicValue.isArrayOfUsual(value) else {
      return value
    }
    ObjectCreation.current?.beginValue()
    if let object = DynamicValue.object(value) {
      return Self.copy(ifNeeded: object, isShared: isShared)
    }
    // Casts to collections of optionals convert all elements.
    if !DynamicValue.isInstance(value), let values = value as? [String: Any] {
      // Of this type, because each later cast of another dictionary would convert its entries again.
      guard values.values.contains(where: { DynamicValue.object($0) != nil }) else { return values }
    } else if Swift.type(of: value) == [Any].self, let values = value as? [Any] {
      guard values.contains(where: { DynamicValue.object($0) != nil }) else { return value }
    }
    switch value {
    case let elements as [Any?]: return replaced(elements, isShared) ?? value
    case let values as [String: Any?]: return replaced(Array(values), isShared) ?? value
    case let map as any DynamicMap: return replaced(map.dynamicEntries, isShared) ?? value
    case let collection as any RealmCollection:
      return replaced(Self.elements(of: collection), isShared) ?? value
    default: return value
    }
  }

  /// The elements with copies; nil where none is needed.
  private func replaced(_ elements: [Any?], _ isShared: Bool) -> [Any?]? {
    let objects = elements.map(DynamicValue.object)
    guard objects.contains(where: { $0.map { Self.needsCopy($0, isShared) } ?? false }) else {
      return nil
    }
    return zip(elements, objects).map { element, object in
      object.map { Self.copy(ifNeeded: $0, isShared: isShared) } ?? element
    }
  }

  /// The entries with copies; nil where none is needed.
  private func replaced(_ entries: [(String, Any?)], _ isShared: Bool) -> [String: Any?]? {
    replaced(entries.map(\.1), isShared).map { values in
      Dictionary(zip(entries.map(\.0), values), uniquingKeysWith: { $1 })
    }
  }

  /// An embedded object has one owner only, and `Realm.create` leaves unmanaged objects as they
  /// are.
  private static func needsCopy(_ object: ObjectBase, _ isShared: Bool) -> Bool {
    if object is EmbeddedObject, isShared || object.position != nil { return true }
    return ObjectCreation.current != nil && object.position == nil
  }

  private static func copy(ifNeeded object: ObjectBase, isShared: Bool) -> ObjectBase {
    guard needsCopy(object, isShared) else { return object }
    if let creation = ObjectCreation.current { return creation.copy(of: object) }
    let type = Swift.type(of: object)
    let copy = type.init()
    ClassInfo.of(type).fill(copy, from: object)
    return copy
  }

  private static func elements(of collection: some RealmCollection) -> [Any?] {
    collection.map { DynamicValue.unwrapped($0) }
  }

  func set(_ index: Int, of object: ObjectBase, to value: Any?) {
    if object is DynamicObject {
      if !object.setDynamically(index, to: value) { refuse(value, index) }
      return
    }
    if object.position != nil, let stored = storedValue(value, index) {
      object.setStoredValue(stored, index)
      return
    }
    let isSet =
      if fields[index].mapsObject, let creation = ObjectCreation.current {
        creation.noteMembers(index, of: object) { fields[index].set(object, to: value) }
      } else {
        fields[index].set(object, to: value)
      }
    if !isSet { refuse(value, index) }
  }

  private func refuse(_ value: Any?, _ index: Int) {
    let property = schema.properties[index]
    refuse(value, property.name, expected: expected(index)) {
      let found = value.map { "'\($0)' of type '\(Swift.type(of: $0))'" } ?? "nil"
      return "Invalid value \(found) for '\(property.typeDescription)' property "
        + "'\(schema.className).\(property.name)'."
    }
  }

  /// What a property takes, in words.
  func expected(_ index: Int) -> String {
    guard fields.indices.contains(index) else {
      return "a value of type \(schema.properties[index].typeDescription)"
    }
    return ExpectedValue.text(of: fields[index].property.valueType)
  }

  /// Notes a value from outside that does not fit; one of the program stops the process.
  private func refuse(
    _ value: Any?, _ property: String?, expected: @autoclosure () -> String,
    _ sentence: () -> String
  ) {
    guard let creation = ObjectCreation.checking else { ProgrammingError.stop(sentence()) }
    creation.note(schema.className, property, value, expected: expected())
  }

  /// A value that a column takes as it is, also where the property's type in Swift could not.
  func storedValue(_ value: Any?, _ index: Int) -> Value? {
    let property = schema.properties[index]
    guard !fields[index].holdsNarrowInteger, property.type != .object, property.type != .any,
      property.collection == nil, let stored = DynamicValue.value(value),
      stored.isNull ? property.isOptional : stored.type == property.type
    else { return nil }
    return stored
  }
}

/// The members of a value of any type, by their names, inherited ones included.
private struct Members {
  private var values: [String: Any] = [:]

  init(of value: Any) {
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
      for case (let label?, let member) in current.children where values[label] == nil {
        values[label] = member
      }
      mirror = current.superclassMirror
    }
  }

  var names: some Collection<String> { values.keys }

  subscript(name: String) -> Any? { values[name] }
}
