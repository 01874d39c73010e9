import CadastreModel
import CadastrePredicate

/// The state of one call of `Realm.create`: the objects created from its value, and the check of the value.
///
/// Each unmanaged object in the value is copied once. A work list of unfilled copies avoids deep recursion
/// along chains of links.
// Safe because only the call of `create` that made the instance uses it.
final class ObjectCreation: @unchecked Sendable {
  /// The creation of the current call; nil outside of `Realm.create`.
  @TaskLocal static var current: ObjectCreation?

  /// A step of the path to a nested value.
  enum Step {
    case property(String)
    case index(Int)
    case key(String)
  }

  /// The options of a check of values from outside the program.
  struct Check {
    /// The Realm in which primary keys are looked up; nil without a Realm.
    let core: RealmCore?
    var mode = Realm.CheckingMode.lenient
    var policy = Realm.UpdatePolicy.error
  }

  /// The object whose common scalars are not set, because its row receives them; nil for none.
  let target: ObjectBase?
  /// The first invalid value; without a check an invalid value stops the process.
  private(set) var failure: InvalidValueError?
  /// The check; nil for values of the program.
  private let check: Check?
  /// The path to the value that is being converted; empty without a check.
  private var location: [Step] = []
  /// The innermost element that could not be converted, until the error of its property is recorded.
  private var unfit: (location: [Step], value: Any?, expected: String)?
  /// The nesting level of the list or map that is being converted.
  private var nestingLevel = 0
  private var copies: [ObjectIdentifier: (source: ObjectBase, copy: ObjectBase)] = [:]
  /// The copies to fill, newest last, which may include filled copies.
  private var unfilled: [ObjectBase] = []
  /// The number of copies to fill before the value of the current property was prepared.
  private var valueStart = 0
  /// The sources of the unfilled copies, by copy.
  private var sources: [ObjectIdentifier: ObjectBase] = [:]
  /// The members specified by the value of the last mapped object; nil for all.
  private var lastMembers: SpecifiedProperties?

  init(target: ObjectBase? = nil, _ check: Check? = nil) {
    self.target = target
    self.check = check
  }

  /// Whether values from outside the program, such as decoded JSON, are being checked.
  var isChecking: Bool { check != nil }

  /// Whether dictionaries must have all required keys and no unknown ones.
  var isStrict: Bool { check?.mode == .strict }

  /// The current creation, if it checks values from outside the program.
  static var checking: ObjectCreation? { current.flatMap { $0.isChecking ? $0 : nil } }

  /// Whether values from outside the program, such as decoded JSON, are being checked.
  static var isChecking: Bool { checking != nil }

  /// Returns the object with a primary key from JSON; nil without a check or for an invalid key.
  func object(_ type: ObjectBase.Type, forKey key: Any) -> ObjectBase? {
    check.flatMap { JSONPropertyValue.object(type, forKey: key, in: $0.core) }
  }

  /// Returns whether the object exists and is updated, so that unspecified properties keep their values.
  func updates(_ className: String, _ primaryKey: Value) -> Bool {
    guard let check, check.policy == .modified, let core = check.core else { return false }
    return core.readRow(or: nil, { try $0.key(className, primaryKey: primaryKey) }) != nil
  }

  // MARK: Locations

  /// Runs a conversion with the current path extended by a step.
  func at<Result>(_ step: Step, _ convert: () -> Result) -> Result {
    location.append(step)
    defer { location.removeLast() }
    return convert()
  }

  /// Converts an element of a collection; records an element that does not fit, and returns nil.
  func element<Element: Persistable>(_ value: Any?, at step: Step) -> Element? {
    at(step) {
      let element = Element.make(fromDynamic: value)
      if element == nil { noteUnfit(value, expected: ExpectedValue.text(of: Element.self)) }
      return element
    }
  }

  /// Records that the value at the current path could not be converted, unless a nested value is recorded.
  func noteUnfit(_ value: Any?, expected: String) {
    if isChecking, unfit == nil { unfit = (location, value, expected) }
  }

  /// Discards the recorded element, because another conversion of the value succeeded.
  func forgetUnfit() { unfit = nil }

  // MARK: Errors

  /// Records an invalid value at the current path, or at the path of the recorded element in it.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - property: The property; nil if the value is a whole object.
  ///   - value: The value.
  ///   - expected: The values that the property accepts.
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

  /// Returns the text of a path, as in `dogs[3].age`; a long text is truncated.
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

  /// Converts a nested list or map; returns nil if it is nested too deep.
  func nested<Result>(atMost limit: Int, _ convert: () -> Result?) -> Result? {
    nestingLevel += 1
    defer { nestingLevel -= 1 }
    return nestingLevel > limit ? nil : convert()
  }

  /// Returns the copy of an unmanaged object, and creates it on first use.
  func copy(of source: ObjectBase) -> ObjectBase {
    if let known = copies[ObjectIdentifier(source)] { return known.copy }
    // The source is itself an unfilled copy.
    if sources[ObjectIdentifier(source)] != nil { return source }
    let copy = type(of: source).init()
    copies[ObjectIdentifier(source)] = (source, copy)
    unfilled.append(copy)
    sources[ObjectIdentifier(copy)] = source
    return copy
  }

  /// Begins the value of a property; copies created later may belong to it.
  func beginValue() { valueStart = unfilled.count }

  /// Fills the copies.
  func fillCopies() { fillCopies(downTo: 0) }

  private func fillCopies(downTo count: Int) {
    while unfilled.count > count { fill(unfilled.removeLast()) }
  }

  private func fill(_ copy: ObjectBase) {
    guard let source = sources.removeValue(forKey: ObjectIdentifier(copy)) else { return }
    copy.classInfo.fill(copy, from: source, self)
  }

  // MARK: Mapped objects

  /// Converts a value to an object that a mapping reads immediately, after filling the copies in the object.
  func filled<Stored>(_ convert: () -> Stored?) -> Stored? {
    let count = min(valueStart, unfilled.count)
    let stored = convert()
    let object = stored as? ObjectBase
    if let object { fill(object) }
    fillCopies(downTo: count)
    lastMembers = object?.specifiedProperties?.withoutMembers
    return stored
  }

  /// Sets a property that may be a mapped object.
  ///
  /// - Parameter set: Sets the property.
  /// - Returns: The members specified by the value of a mapped object; nil for all.
  func members(_ set: () -> Void) -> SpecifiedProperties? {
    lastMembers = nil
    set()
    defer { lastMembers = nil }
    return lastMembers
  }
}

/// The properties specified by the value from which an object is created.
struct SpecifiedProperties {
  /// What the value specifies of one property.
  enum Content {
    case nothing
    /// A value that is set in the object; of a mapped object some members, or all if they are nil.
    case set(members: SpecifiedProperties?)
    /// A value that is not set in the object, and goes to its row.
    case value(Value)
  }

  private var contents: [Content]

  /// Creates a value that specifies some of the properties of a class, which are set in the object.
  init(_ indexes: some Sequence<Int> = EmptyCollection<Int>(), of count: Int) {
    contents = Array(repeating: .nothing, count: count)
    for index in indexes { contents[index] = .set(members: nil) }
  }

  /// What the value specifies of a property.
  subscript(property: Int) -> Content {
    get { contents[property] }
    set { contents[property] = newValue }
  }

  /// Returns whether the value specifies a property.
  func contains(_ property: Int) -> Bool {
    if case .nothing = contents[property] { false } else { true }
  }

  /// The same properties with all members of mapped objects.
  fileprivate var withoutMembers: SpecifiedProperties {
    SpecifiedProperties(contents.indices.filter(contains), of: contents.count)
  }
}

/// The copies of objects of another Realm.
final class ObjectCopies {
  /// The identity of a row across Realms.
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

  /// Returns the copy of an object of another Realm; nil for an object that is unmanaged or of this Realm.
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
