import CadastreModel
import CadastrePredicate

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

  /// The first value that does not fit; it stops the process if there is no check.
  private(set) var failure: InvalidValueError?
  /// The check; nil if the values are those of the program.
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

  /// Returns the object of a class that a primary key in JSON leads to; nil if there is none.
  static func object(_ type: ObjectBase.Type, forKey key: Any) -> ObjectBase? {
    guard let check = current?.check else { return nil }
    return JSONPropertyValue.object(type, forKey: key, in: check.core)
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
  ///   - property: The property; nil if the value is one for a whole object.
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

  /// Returns the text of a location, `dogs[3].age`; a long one is cut off.
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

  /// Converts a list or a map in others; nil if they are too many.
  func nested<Result>(atMost limit: Int, _ convert: () -> Result?) -> Result? {
    nestingLevel += 1
    defer { nestingLevel -= 1 }
    return nestingLevel > limit ? nil : convert()
  }

  /// Returns the copy of an unmanaged object.
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
    lastMembers = object?.specifiedProperties?.indexes
    return stored
  }

  /// Sets a property of a mapped object, and notes the members that the value named.
  ///
  /// - Parameters:
  ///   - property: The index of the property.
  ///   - owner: The object that has the property.
  ///   - set: Sets it; false if the value does not fit.
  /// - Returns: The result of `set`.
  func noteMembers(_ property: Int, of owner: ObjectBase, _ set: () -> Bool) -> Bool {
    lastMembers = nil
    defer { lastMembers = nil }
    let isSet = set()
    if let lastMembers { members[ObjectIdentifier(owner), default: [:]][property] = lastMembers }
    return isSet
  }

  /// Returns the properties that a value named, with the members of mapped objects.
  func given(_ named: Set<Int>, of object: ObjectBase) -> SpecifiedProperties {
    members.removeValue(forKey: ObjectIdentifier(object)).map { .nested(named, members: $0) }
      ?? .flat(named)
  }
}

/// The properties that a value named from which an object is being created.
enum SpecifiedProperties {
  case flat(Set<Int>)
  /// With the members that the values of mapped objects named, by property.
  indirect case nested(Set<Int>, members: [Int: Set<Int>])

  /// The indexes of the properties.
  var indexes: Set<Int> {
    switch self {
    case .flat(let indexes), .nested(let indexes, _): indexes
    }
  }

  /// Returns the members that the value of a mapped object named; nil for all.
  func members(of property: Int) -> SpecifiedProperties? {
    guard case .nested(_, let members) = self else { return nil }
    return members[property].map(SpecifiedProperties.flat)
  }
}

/// Copies of another Realm's objects, one for each.
final class ObjectCopies {
  /// The identity of a row among those of all Realms.
  struct Row: Hashable {
    let core: ObjectIdentifier
    let className: String
    let key: ObjectKey

    init(_ row: ManagedRow) {
      core = ObjectIdentifier(row.core)
      className = row.table.className
      key = row.key
    }
  }

  var known: [Row: Object] = [:]

  /// Returns the copy of an object of another Realm; nil for others.
  func copy(of object: ObjectBase, notIn core: RealmCore) -> Object? {
    guard let source = object as? Object, let row = source.position?.row, row.core !== core else {
      return nil
    }
    if let copy = known[Row(row)] { return copy }
    guard let copy = source.classInfo.type.init() as? Object else { return nil }
    known[Row(row)] = copy
    ClassInfo.of(type(of: copy)).fill(copy, from: source)
    return copy
  }
}
