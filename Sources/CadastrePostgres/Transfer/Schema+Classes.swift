import CadastreModel

extension Schema {
  /// The classes with some names and the embedded classes of their properties, sorted by name.
  func classes(_ names: [String]) -> [ObjectSchema] {
    var known: [String: ObjectSchema] = [:]
    var waiting = names
    while let name = waiting.popLast() {
      guard known[name] == nil, let owner = self[name] else { continue }
      known[name] = owner
      waiting += owner.properties.compactMap { target(of: $0) }.filter(\.isEmbedded)
        .map(\.className)
    }
    return known.values.sorted { $0.className < $1.className }
  }
}

extension [ObjectSchema] {
  /// Throws an error for a property whose linked or embedded class a schema lacks.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - reason: The reason, as a clause about the class.
  /// - Throws: ``PostgresMappingError``.
  func requireTargets(
    in schema: Schema, otherwise reason: String
  ) throws(PostgresMappingError) {
    for owner in self {
      for property in owner.properties {
        guard let target = property.objectClassName, schema[target] == nil else { continue }
        throw PostgresMappingError(
          subject: "property '\(property.name)' of class '\(owner.className)'",
          reason: "it links to the class '\(target)', \(reason)")
      }
    }
  }
}
