package import CadastreModel

/// An object as the slow evaluator sees it: one property at a time.
package protocol PredicateSubject {
  /// What the object is in a comparison: its address, or its place in the row of its owner; of objects
  /// that are stored nowhere any value but null.
  var identity: Value { get }
  /// The value of a property that holds a single one, of any type included; links are asked for by
  /// ``object(at:)``.
  func value(of property: Property) -> Value
  /// The object that a link or an embedded property leads to; nil where that is null.
  func object(at property: Property) -> (any PredicateSubject)?
  /// The object that a link in a value of any type leads to; nil where there is none.
  func object(at address: ObjectAddress) -> (any PredicateSubject)?
  /// The values in a collection: in order of a list, ascending of a set, by the byte order of its keys
  /// of a map.
  func elements(of property: Property) -> [Value]
  /// The objects in a collection, in the same order, or those that link here, once for each link; nil
  /// for a null in a map.
  func objects(in property: Property) -> [(any PredicateSubject)?]
  /// The keys of a map, in byte order.
  func keys(of property: Property) -> [String]
  /// The links of all kinds that lead here.
  var incomingLinkCount: Int { get }
}

/// Subjects without collections of objects, maps and links.
extension PredicateSubject {
  package func object(at address: ObjectAddress) -> (any PredicateSubject)? { nil }
  package func objects(in property: Property) -> [(any PredicateSubject)?] { [] }
  package func keys(of property: Property) -> [String] { [] }
  package var incomingLinkCount: Int { 0 }
}
