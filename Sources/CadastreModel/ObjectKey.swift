/// The identity of an object within its class: the integer key of its row.
///
/// Keys ascend in the order of creation. The key of a deleted object is never reused.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The integer key of the row, from 1.
  public var rawValue: Int64

  /// Creates a key from an integer.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Returns whether the first key is smaller, so that its object was created earlier.
  public static func < (first: ObjectKey, second: ObjectKey) -> Bool {
    first.rawValue < second.rawValue
  }

  /// The integer in decimal.
  public var description: String { String(rawValue) }
}

/// A reference to an object in a store: its class and its key.
public struct ObjectAddress: Hashable, Sendable {
  /// The name of the object's class.
  public let className: String
  /// The key of the object's row.
  public let key: ObjectKey

  /// Creates a reference.
  ///
  /// - Parameters:
  ///   - className: The name of the object's class.
  ///   - key: The key of the object's row.
  public init(className: String, key: ObjectKey) {
    self.className = className
    self.key = key
  }
}
