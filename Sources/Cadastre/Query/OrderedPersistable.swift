import CadastreModel
import Foundation

/// A type whose values can be compared by size in a query.
@_documentation(visibility: internal)
public protocol OrderedPersistable: Persistable {}

extension Int: OrderedPersistable {}
extension Int8: OrderedPersistable {}
extension Int16: OrderedPersistable {}
extension Int32: OrderedPersistable {}
extension Int64: OrderedPersistable {}
extension Float: OrderedPersistable {}
extension Double: OrderedPersistable {}
extension Decimal128: OrderedPersistable {}
extension String: OrderedPersistable {}
extension Date: OrderedPersistable {}
extension Data: OrderedPersistable {}
extension UUID: OrderedPersistable {}
extension ObjectId: OrderedPersistable {}
/// Values of one kind only, numbers of all types together, are before or after each other.
extension AnyRealmValue: OrderedPersistable {}
extension Optional: OrderedPersistable where Wrapped: OrderedPersistable & OptionalPersistable {}
