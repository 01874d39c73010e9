import CadastreModel

/// The present keys and classes of the objects of an earlier version.
struct MovedKeys {
  private var current: [ObjectAddress: ObjectAddress] = [:]
  private var former: [ObjectAddress: ObjectAddress] = [:]
  /// The present name of each renamed class, and the earlier name.
  private var currentNames: [String: String] = [:]
  private var formerNames: [String: String] = [:]

  /// Adds a move; moves are added in the order in which they happened.
  mutating func add(_ move: ChangeMove) {
    switch move {
    case .object(let className, let from, let to):
      let (from, to) = (Self.address(className, from), Self.address(className, to))
      let first = former(from)
      former[from] = nil
      current[first] = to
      former[to] = first
    case .type(let from, let to):
      let first = formerNames[from] ?? from
      formerNames[from] = nil
      currentNames[first] = to
      formerNames[to] = first
      current = current.mapValues { $0.className == from ? Self.address(to, $0.key.rawValue) : $0 }
      former = Dictionary(uniqueKeysWithValues: current.map { ($1, $0) })
    }
  }

  private static func address(_ className: String, _ key: Int64) -> ObjectAddress {
    ObjectAddress(className: className, key: ObjectKey(key))
  }

  /// Returns the present address of an object.
  func current(_ address: ObjectAddress) -> ObjectAddress {
    current[address]
      ?? ObjectAddress(
        className: currentNames[address.className] ?? address.className, key: address.key)
  }

  /// Returns the earlier address of an object.
  func former(_ address: ObjectAddress) -> ObjectAddress {
    former[address]
      ?? ObjectAddress(
        className: formerNames[address.className] ?? address.className, key: address.key)
  }
}
