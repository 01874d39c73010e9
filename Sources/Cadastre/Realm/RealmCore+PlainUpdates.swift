import CadastreModel
import CadastreStore

/// Updates of existing objects from dictionaries of plain values, for which no unmanaged object is made.
extension RealmCore {
  /// Sets the properties of an existing object that differ from those in a dictionary.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - value: The dictionary, by the names of properties.
  ///   - policy: The policy for objects whose primary key exists.
  /// - Returns: The object; nil where there is none with the primary key, or an unmanaged object is needed to convert the
  ///   values. Nothing is done then.
  func update<Element: Object>(
    _ type: Element.Type, from value: Any, _ policy: Realm.UpdatePolicy
  ) -> Element? {
    guard policy == .modified else { return nil }
    let table = self.table(type)
    let properties = table.info.schema.properties
    guard let given = table.info.plainValues(in: value),
      let key = given.first(where: { properties[$0.property].isPrimaryKey })?.value,
      let found = read(or: nil, { try $0.row(table.layout, primaryKey: key) })
    else { return nil }
    let row = ManagedRow(table, found.key, values: found.row)
    var changes: [(column: Int, value: Value)] = []
    for (property, value) in given {
      guard let column = table.column(of: property), found.row[column] != value else { continue }
      changes.append((column, value))
    }
    if !changes.isEmpty { row.set(changes) }
    return table.info.makeInstance(of: type, at: ObjectPosition(row)) as? Element
  }
}

extension ClassInfo {
  /// The values in a dictionary of the most frequent types, by property, ascending.
  ///
  /// - Parameter value: The dictionary.
  /// - Returns: The values; nil where the value is another one, or a property needs its value converted or checked.
  fileprivate func plainValues(in value: Any) -> [(property: Int, value: Value)]? {
    guard Swift.type(of: value) == [String: Any].self, let dictionary = value as? [String: Any]
    else { return nil }
    var found: [(property: Int, value: Value)] = []
    found.reserveCapacity(dictionary.count)
    for (name, value) in dictionary {
      guard let index = schema.index(of: name) else { continue }
      guard fields[index].holdsUsualValues, let stored = DynamicValue.usualValue(value),
        stored.type == schema.properties[index].type, ObjectWriter.excessBytes(of: stored) == nil
      else { return nil }
      found.append((index, stored))
    }
    // Changes of the same columns in the same order are written together.
    found.sort { $0.property < $1.property }
    return found
  }
}
