package import CadastreModel

/// An object as the reference evaluator reads it: one property at a time.
package protocol PredicateSubject {
  /// The object as a value in a comparison: its address, or its location in the row of its owner;
  /// for objects that are not stored any value except null.
  var identity: Value { get }
  /// The value of a property with a single value, of any type included; ``object(at:)`` returns
  /// links.
  func value(of property: Property) -> Value
  /// The object that a link or an embedded property leads to; nil where that is null.
  func object(at property: Property) -> (any PredicateSubject)?
  /// The object that a link in a value of any type leads to; nil where there is none.
  func object(at address: ObjectAddress) -> (any PredicateSubject)?
  /// The values in a collection: in order of a list, ascending of a set, by the byte order of its
  /// keys of a map.
  func elements(of property: Property) -> [Value]
  /// The objects in a collection, in the same order, or those that link here, once for each link;
  /// nil for a null in a map.
  func objects(in property: Property) -> [(any PredicateSubject)?]
  /// The keys of a map, in byte order.
  func keys(of property: Property) -> [String]
  /// The objects of a class with a table.
  func objects(of className: String) -> [any PredicateSubject]
  /// The links of all kinds that lead here.
  var incomingLinkCount: Int { get }
}

/// Subjects without collections of objects, maps and links.
extension PredicateSubject {
  package func object(at address: ObjectAddress) -> (any PredicateSubject)? { nil }
  package func objects(in property: Property) -> [(any PredicateSubject)?] { [] }
  package func objects(of className: String) -> [any PredicateSubject] { [] }
  package func keys(of property: Property) -> [String] { [] }
  package var incomingLinkCount: Int { 0 }
}
