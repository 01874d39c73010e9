import CadastreGeometry
import CadastreModel
import CadastrePredicate

/// Finds the names of properties from key paths, by reading each once from a recorder.
enum PropertyNames {
  private struct Name: Hashable {
    let type: ObjectIdentifier
    let path: AnyKeyPath
  }

  // Safe because key paths of stored properties hold no captured values.
  private struct Names: @unchecked Sendable { var known: [Name: String] = [:] }
  private static let names = Guarded(Names())

  /// The name of the persisted property that a key path leads to; names joined by dots where it
  /// leads through links.
  ///
  /// One that leads to something else stops the process.
  static func name<Root: ObjectBase, Value>(of path: KeyPath<Root, Value>) -> String {
    self.name(ofPartial: path)
  }

  /// The same for a key path to a property of any type.
  static func name<Root: ObjectBase>(ofPartial path: PartialKeyPath<Root>) -> String {
    let name = Name(type: ObjectIdentifier(Root.self), path: path)
    if let known = known(name) { return known }
    guard let way = names(of: path) else {
      ProgrammingError.stop(
        "A key path used in a query of '\(Root.className())' does not lead to a persisted property: "
          + "use one that is marked @Persisted.")
    }
    let text = way.joined(separator: ".")
    remember(name, text)
    return text
  }

  /// The names of the persisted properties that a key path leads through, and of a measure of a
  /// geometry at its end; nil where it leads to something else.
  static func names<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> [String]? {
    way(from: Root.self, { $0[keyPath: path] }).names
  }

  /// The names of the properties that a closure reads from an object, and of a measure of a geometry
  /// that is the closure's result; and the result.
  ///
  /// No names where it reads no persisted property.
  static func way<Root: ObjectBase, Value>(
    from type: Root.Type, _ read: (Root) -> Value
  ) -> (names: [String]?, value: Value) {
    let recorder = Root()
    ClassInfo.of(Root.self).record(recorder)
    let value = read(recorder)
    (value as? any PlainProperty)?.noteRead()
    guard let recording = recorder.recording, let way = recording.way else { return (nil, value) }
    guard recording.endsInGeometry, let measure = RecordedGeometry.measure(of: value) else {
      return (way, value)
    }
    return (way + [measure.rawValue], value)
  }

  private static func known(_ name: Name) -> String? { names.withLock { $0.known[name] } }

  private static func remember(_ name: Name, _ text: String) {
    names.withLock { $0.known[name] = text }
  }
}

/// The properties that were read from a recorder, from object to object.
final class PropertyRecording {
  private var names: [String] = []
  /// The recorder of which the next property is to be read.
  private var next: ObjectBase?
  private var isWay = true

  /// Whether the property that was read last is a geometry, of which a measure may be read.
  var endsInGeometry = false

  /// The names on the path; nil where no property, or several properties of one object, were read.
  var way: [String]? { isWay && !names.isEmpty ? names : nil }

  func note(_ property: Int, of object: ObjectBase, leadsTo linked: ObjectBase?) {
    note(named: object.classInfo.fields[property].name, of: object)
    next = linked
  }

  func note(named name: String, of object: ObjectBase) {
    endsInGeometry = false
    isWay = isWay && (names.isEmpty || next === object)
    names.append(name)
    next = nil
  }
}

/// The geometry that a recorder of properties returns.
///
/// From its measures, which all differ, the end of a key path such as `\Country.border.area` is known.
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

  /// Returns the measure of the geometry that a value, or an optional of one, is; nil for other
  /// values.
  static func measure(of value: Any) -> GeometryMeasure? {
    let found: Value
    switch DynamicValue.unwrapped(value) {
    case let number as Double: found = .double(number)
    case let count as Int: found = .int(Int64(count))
    case let point as GeoPoint: found = .geometry(Geometry(point))
    default: return nil
    }
    return measures.first { $0.1 == found }?.0
  }
}

/// A type whose properties can be named by key paths, to sort by them: objects and projections.
@_documentation(visibility: internal)
public protocol KeypathSortable: RealmCollectionValue {
  /// The persisted property that a key path from this type leads to, names joined by dots.
  ///
  /// A key path that leads to something else stops the process.
  static func propertyName(of keyPath: AnyKeyPath) -> String
}

/// Returns the name of the persisted property that a key path leads to, names joined by dots, for
/// code written for Realm.
///
/// A key path that leads to something else stops the process.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String {
  PropertyNames.name(ofPartial: keyPath)
}

/// Returns the name of the property of the root class that a key path of a projection leads to.
public func _name<View: ProjectionProtocol>(for keyPath: PartialKeyPath<View>) -> String {
  View.propertyName(of: keyPath)
}

extension Object: KeypathSortable {}
extension EmbeddedObject: KeypathSortable {}

@_documentation(visibility: internal)
extension ObjectBase {
  /// The persisted property that a key path from this class leads to, names joined by dots.
  public static func propertyName(of keyPath: AnyKeyPath) -> String {
    guard let keyPath = keyPath as? PartialKeyPath<Self> else {
      ProgrammingError.stop(
        "A key path from '\(type(of: keyPath).rootType)' names nothing of '\(self)'.")
    }
    return PropertyNames.name(ofPartial: keyPath)
  }
}
