public struct Decimal128: Hashable, Sendable, Comparable {
  package var exactText: String
  package init?(parsing: String) { exactText = parsing }
  public init() { exactText = "0" }
  package func hasSameRepresentation(as other: Decimal128) -> Bool { self == other }
  public static func < (a: Decimal128, b: Decimal128) -> Bool { a.exactText < b.exactText }
  package static func ordering(_ a: Decimal128, _ b: Int64) -> ValueOrdering { .same }
  package static func ordering(_ a: Decimal128, _ b: Double) -> ValueOrdering { .same }
}
