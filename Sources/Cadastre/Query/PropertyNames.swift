import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Resolves key paths to the names of properties, by reading each key path once from a recorder.
enum PropertyNames {
  /// A key path, which includes its class, and the properties along it.
  // Safe because key paths of stored properties have no captured values.
  private final class Recorded: @unchecked Sendable {
    let path: AnyKeyPath
    /// The steps of the path; all uses share them.
    let steps: [PropertyPath.Step]
    /// The names joined by dots.
    let name: String

    init(_ path: AnyKeyPath, _ names: [String]) {
      self.path = path
      steps = names.map(PropertyPath.Step.property)
      name = names.count == 1 ? names[0] : names.joined(separator: ".")
    }
  }

  // Invariant: the objects of both caches are of the class `Recorded`.
  /// The key paths that were used last, by their addresses: a literal in the code is always the same object.
  private static let byIdentity = ObjectCache(maximumCount: 1024, maximumCost: 1024)
  /// The key paths that were used last, by their hashes, for those that the program composes.
  private static let byHash = ObjectCache(maximumCount: 1024, maximumCost: 1024)

  /// Returns a key path that was recorded before; nil for others.
  private static func recorded(_ path: AnyKeyPath) -> Recorded? {
    let identity = Int(bitPattern: ObjectIdentifier(path))
    if let object = byIdentity.object(identity) {
      let recorded = unsafeDowncast(object, to: Recorded.self)
      if recorded.path === path { return recorded }
    }
    guard let object = byHash.object(path.hashValue) else { return nil }
    let recorded = unsafeDowncast(object, to: Recorded.self)
    return recorded.path == path ? recorded : nil
  }

  /// Returns a recorded key path from a class; nil if it leads to no persisted property.
  private static func recorded<Root: ObjectBase>(from path: PartialKeyPath<Root>) -> Recorded? {
    if let recorded = recorded(path) { return recorded }
    guard let names = recorded(from: Root.self, { $0[keyPath: path] }).names else { return nil }
    let recorded = Recorded(path, names)
    byIdentity.insert(recorded, Int(bitPattern: ObjectIdentifier(path)), cost: 1)
    byHash.insert(recorded, path.hashValue, cost: 1)
    return recorded
  }

  /// Returns the path of the persisted property that a key path leads to, names joined by dots.
  ///
  /// A key path that leads to anything else stops the process.
  static func name<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> String {
    required(from: path).name
  }

  /// Returns the path of the persisted property that a key path leads to.
  ///
  /// A key path that leads to anything else stops the process.
  static func steps<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> [PropertyPath.Step] {
    required(from: path).steps
  }

  private static func required<Root: ObjectBase>(from path: PartialKeyPath<Root>) -> Recorded {
    guard let recorded = recorded(from: path) else {
      ProgrammingError.stop(
        "A key path used in a query of '\(Root.className())' does not lead to a persisted property: "
          + "use one that is marked @Persisted.")
    }
    return recorded
  }

  /// Returns the persisted properties along a key path, and the geometry's measure at its end; nil if the key path
  /// leads to anything else.
  static func persistedSteps<Root: ObjectBase>(
    of path: PartialKeyPath<Root>
  ) -> [PropertyPath.Step]? {
    recorded(from: path)?.steps
  }

  /// Returns the steps of a key path of any class; nil if it was not recorded before.
  static func recordedSteps(of path: AnyKeyPath) -> [PropertyPath.Step]? { recorded(path)?.steps }

  /// Returns a key path from a class; one from another class stops the process.
  static func path<Root: ObjectBase>(
    _ path: AnyKeyPath, from type: Root.Type
  ) -> PartialKeyPath<Root> {
    guard let path = path as? PartialKeyPath<Root> else {
      ProgrammingError.stop(
        "A key path from '\(Swift.type(of: path).rootType)' names nothing of '\(type)'.")
    }
    return path
  }

  /// Returns the persisted properties on which the value of a key path depends: the property that it leads to, or those
  /// that a computed property reads from the object.
  static func dependencies<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> [String] {
    if let recorded = recorded(from: path) { return [recorded.name] }
    let recorder = Root()
    let recording = ClassInfo.of(Root.self).record(recorder)
    defer { recording.release() }
    _ = recorder[keyPath: path]
    guard !recording.namesOfFirst.isEmpty else { return [required(from: path).name] }
    return recording.namesOfFirst
  }

  /// Runs a closure on a recorder, and returns the names of the properties that the closure reads, and its
  /// result.
  ///
  /// A result that is a measure of a geometry adds the name of the measure, and a computed property that returns a
  /// coordinate of a point is that coordinate. The names are nil if the closure reads no persisted property.
  static func recorded<Root: ObjectBase, Value>(
    from type: Root.Type, _ read: (Root) -> Value
  ) -> (names: [String]?, value: Value) {
    let recorder = Root()
    let recording = ClassInfo.of(Root.self).record(recorder)
    defer { recording.release() }
    let value = read(recorder)
    (value as? any PlainProperty)?.noteRead()
    guard let names = recording.path else { return (nil, value) }
    switch recording.end {
    case .geometry:
      guard let measure = RecordedGeometry.measure(of: value) else { break }
      return (names + [measure.rawValue], value)
    case .coordinates:
      guard let member = RecordedPoint.member(of: value) else { break }
      return (names.dropLast() + [member.rawValue], value)
    case .other: break
    }
    return (names, value)
  }
}

/// The properties that a closure reads from a recorder and from the objects that its links lead to.
final class PropertyRecording {
  private var names: [String] = []
  /// The recorder from which the first property was read.
  private weak var first: ObjectBase?
  /// The properties that were read from it.
  private(set) var namesOfFirst: [String] = []
  /// The recorder from which the last property was read.
  private var last: ObjectBase?
  /// The recorder from which the next property of the path is read.
  private var next: ObjectBase?
  /// Whether each property was read from the object that the previous one leads to.
  private var isPath = true

  /// A property from whose value a closure may compute another one.
  enum End {
    /// A geometry, which has measures.
    case geometry
    /// The coordinates of a point.
    case coordinates
    case other
  }

  /// The kind of the last property.
  var end = End.other

  /// The names along the path; nil if no property, or several properties of one object, were read.
  var path: [String]? { isPath && !names.isEmpty ? names : nil }

  func note(_ property: Int, of object: ObjectBase, leadsTo linked: ObjectBase?) {
    note(named: object.classInfo.fields[property].name, of: object)
    next = linked
  }

  /// Releases the recorders, which retain the recording.
  func release() { (last, next) = (nil, nil) }

  /// Records that the property that was read last leads to an element of its collection.
  func lead(from object: ObjectBase, to element: ObjectBase) {
    if last === object { next = element }
  }

  func note(named name: String, of object: ObjectBase) {
    // A computed property may read a property several times.
    if last === object, names.last == name { return }
    end = .other
    if names.isEmpty { first = object }
    if first === object, !namesOfFirst.contains(name) { namesOfFirst.append(name) }
    isPath = isPath && (names.isEmpty || next === object)
    names.append(name)
    last = object
    next = nil
  }
}

/// The geometry that a recorder returns for each geometry property.
///
/// All its measures differ, so a value tells which measure a key path such as `\Country.border.area` reads.
enum RecordedGeometry {
  /// A triangle and a line.
  static let value =
    (try? Geometry(
      wkt: "GEOMETRYCOLLECTION (POLYGON ((0 0, 3 0, 3 1, 0 0)), LINESTRING (0 0, 5 1))"))
    ?? Geometry()

  private static let measures: [(GeometryMeasure, Value)] =
    [GeometryMeasure.area, .perimeter, .length, .positionCount, .centroid].map {
      ($0, $0.value(of: value))
    }

  /// Returns the measure of the geometry that is equal to a value or to the value in an optional; nil if no
  /// measure is equal.
  static func measure(of value: Any) -> GeometryMeasure? {
    let wanted: Value
    switch DynamicValue.unwrapped(value) {
    case let number as Double: wanted = .double(number)
    case let count as Int: wanted = .int(Int64(count))
    case let point as GeoPoint: wanted = .geometry(Geometry(point))
    default: return nil
    }
    return measures.first { $0.1 == wanted }?.0
  }
}

/// The coordinates that a recorder returns for a point in the shape of GeoJSON.
///
/// They differ, so a value tells which coordinate a key path such as `\Airport.location.latitude` reads.
enum RecordedPoint {
  static let coordinates = [12.34375, 56.78125, 90.15625]

  /// Returns the coordinate that is equal to a value or to the value in an optional; nil if none is equal.
  static func member(of value: Any) -> PointMember? {
    guard let number = DynamicValue.unwrapped(value) as? Double else { return nil }
    return PointMember.allCases.first { coordinates[$0.index] == number }
  }
}

/// A type with key paths to persisted properties: objects and projections.
@_documentation(visibility: internal)
public protocol KeypathSortable: RealmCollectionValue {
  /// Returns the path of the persisted property that a key path from this type leads to, names joined by dots.
  ///
  /// A key path that leads to anything else stops the process.
  static func propertyName(of keyPath: AnyKeyPath) -> String
  /// Returns the paths of the persisted properties on which the value of a key path depends.
  static func dependencies(of keyPath: AnyKeyPath) -> [String]
}

@_documentation(visibility: internal)
extension KeypathSortable {
  /// Returns the path of the persisted property that the key path leads to.
  public static func dependencies(of keyPath: AnyKeyPath) -> [String] {
    [propertyName(of: keyPath)]
  }
}

/// Returns the path of the persisted property that a key path leads to, names joined by dots, for code written
/// for Realm.
///
/// A key path that leads to anything else stops the process.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String {
  PropertyNames.name(of: keyPath)
}

/// Returns the name of the property of the root class that a key path of a projection leads to.
public func _name<View: ProjectionProtocol>(for keyPath: PartialKeyPath<View>) -> String {
  View.propertyName(of: keyPath)
}

extension Object: KeypathSortable {}
extension EmbeddedObject: KeypathSortable {}

@_documentation(visibility: internal)
extension ObjectBase {
  /// Returns the path of the persisted property that a key path from this class leads to, names joined by dots.
  public static func propertyName(of keyPath: AnyKeyPath) -> String {
    PropertyNames.name(of: PropertyNames.path(keyPath, from: Self.self))
  }

  /// Returns the paths of the persisted properties on which the value of a key path from this class depends: of a
  /// computed property, those that it reads from the object.
  public static func dependencies(of keyPath: AnyKeyPath) -> [String] {
    PropertyNames.dependencies(of: PropertyNames.path(keyPath, from: Self.self))
  }
}
