/// A difference between a store and its model, or a part of a sequence that could not run.
struct WriteFailure: Error, CustomStringConvertible {
  var expected: String
  var found: String

  var description: String { "\n  expected \(expected)\n  found    \(found)" }

  /// Requires that a value is the expected one.
  static func require<Value: Equatable>(
    _ found: Value, is expected: Value
  ) throws(WriteFailure) {
    guard found == expected else {
      throw WriteFailure(expected: "\(expected)", found: "\(found)")
    }
  }

  /// Requires that a content is the expected one.
  static func require(content found: WriteModel, is expected: WriteModel) throws(WriteFailure) {
    if let (expected, found) = expected.difference(to: found) {
      throw WriteFailure(expected: expected, found: found)
    }
  }
}
