/// The identity of an object within its class: the integer key of its row, never used again after
/// the object is deleted.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The row's integer key, counted from 1.
  public var rawValue: Int64

  /// The key with a given number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Orders keys by age: an object created later has the larger key.
  public static func < (first: ObjectKey, second: ObjectKey) -> Bool {
    first.rawValue < second.rawValue
  }

  /// The number as decimal digits.
  public var description: String { String(rawValue) }
}
