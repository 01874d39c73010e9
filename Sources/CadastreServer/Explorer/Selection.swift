import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// What a request selects: objects of a class that match a predicate, in an order.
struct Selection: Hashable {
  var className: String
  var predicate: String?
  var arguments: [PredicateArgument] = []
  var order: String?
  var box: BoundingBox?

  /// A selection in a version of the store.
  struct Version: Hashable {
    let selection: Selection
    let version: Int64
  }

  init(_ className: String) { self.className = className }

  /// Reads the parameters `class`, `predicate`, `sort`, `order` and `bbox`.
  init(_ parameters: Parameters) throws(RequestError) {
    className = try parameters.required("class")
    predicate = parameters["predicate"].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    let direction = try parameters.word("order", of: ["asc", "desc"]) ?? "asc"
    order = parameters["sort"].map { "\($0) \(direction)" }
    box = try parameters.box("bbox")
  }

  /// The parameters that ``init(_:)`` reads.
  static let parameters = ["class", "predicate", "sort", "order", "bbox", "token"]

  /// Returns the query in a version of the store.
  ///
  /// - Throws: ``QueryPredicateError`` or `StoreError`.
  func query(_ snapshot: Snapshot, limit: Int? = nil) throws -> StoreQuery {
    try StoreQuery(
      snapshot, className: className, predicate: predicate, arguments: arguments,
      regions: box.map { [.box($0)] } ?? [], order: order, limit: limit, edges: .spherical)
  }
}
