import CadastreModel
import CadastreGeometry

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
