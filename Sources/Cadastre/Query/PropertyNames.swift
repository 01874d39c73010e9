import Synchronization

/// Finds the names of properties from key paths, by reading each once from a recorder.
enum PropertyNames {
  private struct Name: Hashable {
    let type: ObjectIdentifier
    let path: AnyKeyPath
  }

  // Safe because key paths of stored properties hold no captured values.
  private struct Names: @unchecked Sendable { var known: [Name: String] = [:] }
  private static let names = Mutex(Names())

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
    let info = ClassInfo.of(Root.self)
    guard let recorder = info.makeRecorder() as? Root else {
      Misuse.stop("'\(Root.className())' cannot be asked for its properties.")
    }
    _ = recorder[keyPath: path]
    guard let way = recorder.recording?.way else {
      Misuse.stop(
        "A key path used in a query of '\(Root.className())' does not lead to a persisted property: "
          + "use one that is marked @Persisted.")
    }
    let text = way.joined(separator: ".")
    remember(name, text)
    return text
  }

  private static func known(_ name: Name) -> String? { names.withLock { $0.known[name] } }

  private static func remember(_ name: Name, _ text: String) {
    names.withLock { $0.known[name] = text }
  }
}
