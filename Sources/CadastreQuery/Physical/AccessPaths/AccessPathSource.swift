import CadastrePredicate

/// A kind of access path that looks for terms of a conjunction that it can serve.
protocol AccessPathSource {
  /// The kind.
  var kind: AccessPath.Kind { get }
  /// Whether there may be access paths of this kind for terms of the same shape, whatever their
  /// constants are.
  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool
  /// The access paths of this kind for a conjunction of terms.
  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer]
}

/// An access path for a conjunction of terms.
struct AccessPathOffer {
  var access: AccessPath
  /// The indexes of the terms that the access path decides exactly.
  var decided: Set<Int>
  /// The estimated number of rows that it yields.
  var rows: Double
  /// The cost in row reads until the keys are known.
  var cost: Double
}
