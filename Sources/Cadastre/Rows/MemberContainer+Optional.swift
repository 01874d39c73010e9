// The defaults return nil for a name that the class lacks, which hides a misspelt name. Each type has a
// default of its own, which a generic function does not replace.
extension MemberContainer {
  func decodeIfPresent<Result: Decodable>(
    _ type: Result.Type, forKey key: Key
  ) throws -> Result? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try present(type, key)
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try present(type, key)
  }

  private func present<Result: Decodable>(_ type: Result.Type, _ key: Key) throws -> Result? {
    if !record.hasFixedNames, !contains(key) { return nil }
    let content = try content(key)
    return content.isNull ? nil : try content.decoded(type) { codingPath + [key] }
  }
}
