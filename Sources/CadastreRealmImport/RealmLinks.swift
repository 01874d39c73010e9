import CadastreModel
import CadastreRealmFile
import CadastreStore

/// The keys in the store of the objects of a file.
final class RealmLinks {
  /// The objects of each imported class that have rows of their own by name of the table.
  private var targets: [String: (className: String, objects: RealmFileObjects)] = [:]
  /// The number of links to missing objects by class and property.
  private(set) var dangling: [String: Int] = [:]

  /// Adds the objects of a class.
  func add(_ className: String, _ objects: RealmFileObjects) {
    targets[objects.table.name] = (className, objects)
  }

  /// Returns the key of a linked object; nil if it does not exist.
  ///
  /// New classes number their objects from 1, in the order of the file.
  func key(
    _ table: String, _ key: ObjectKey, for property: String
  ) throws(RealmFileError) -> ObjectKey? {
    guard let position = try targets[table]?.objects.position(of: key.rawValue) else {
      noteDangling(property)
      return nil
    }
    return ObjectKey(Int64(position) + 1)
  }

  /// Counts a link to a missing object.
  func noteDangling(_ property: String) { dangling[property, default: 0] += 1 }

  /// Returns a mixed value with its links as they are in the store; links to missing objects are
  /// null.
  func mixed(_ value: Value, for property: String) throws(RealmFileError) -> Value {
    switch value {
    case .object(let address):
      guard let key = try key(address.className, address.key, for: property),
        let className = targets[address.className]?.className
      else { return .null }
      return .object(ObjectAddress(className: className, key: key))
    case .list(let values):
      var converted: [Value] = []
      converted.reserveCapacity(values.count)
      for value in values { converted.append(try mixed(value, for: property)) }
      return .list(converted)
    case .map(let map):
      var entries: [(String, Value)] = []
      for entry in map.entries {
        entries.append((entry.key, try mixed(entry.value, for: property)))
      }
      return .map(ValueMap(entries))
    default: return value
    }
  }
}
