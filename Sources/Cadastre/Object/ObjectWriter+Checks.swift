import CadastreModel

/// Values that a program must not write.
extension ObjectWriter {
  /// Stops the process for an embedded object that has an owner.
  ///
  /// - Parameters:
  ///   - object: The embedded object.
  ///   - isOwned: Whether it has been given an owner that is not yet written.
  func refuseSecondOwner(of object: ObjectBase, isOwned: Bool = false) {
    guard isOwned || object.position != nil else { return }
    ProgrammingError.stop(
      "Can't set link to existing managed embedded object of type "
        + "'\(object.objectSchema.className)': it has an owner already. Make a copy with "
        + "init(value:).")
  }

  /// Stops the process for an object of a subclass: its table is another one.
  func checkClass(of value: ObjectBase?, _ info: ClassInfo, _ property: Int) {
    guard value != nil else { return }
    let description = info.schema.properties[property]
    guard let expected = description.objectClassName, description.collection == nil else { return }
    checkClass(of: value, expected, "\(info.schema.className).\(description.name)")
  }

  func checkClass(
    of value: ObjectBase?, _ expected: String, _ name: @autoclosure () -> String
  ) {
    guard let value, value.objectSchema.className != expected else { return }
    ProgrammingError.stop(
      "Object of type '\(value.objectSchema.className)' cannot be the value of '\(name())', which takes "
        + "'\(expected)' only: a subclass is stored apart from its superclass.")
  }

  /// Stops the process for a value that is too long to be stored.
  static func checkSize(_ value: Value, _ name: @autoclosure () -> String) {
    guard let count = excessBytes(of: value) else { return }
    ProgrammingError.stop(
      "Value of '\(name())' has \(count) bytes; a "
        + "property holds at most \(maximumBytes). Keep larger data in files.")
  }

  /// The number of bytes of a value that is too long to be stored; nil of others.
  static func excessBytes(of value: Value) -> Int? {
    let count =
      switch value {
      case .string(let text): text.utf8.count
      case .data(let data): data.count
      default: 0
      }
    return count > maximumBytes ? count : nil
  }

  /// 16 MB, as in Realm.
  static let maximumBytes = 16 << 20
}
