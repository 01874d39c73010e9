import CadastreDatasets
import CadastrePredicate

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

  /// Whether all objects of the class are selected, in the order of their keys.
  var isEverything: Bool { predicate == nil && order == nil && box == nil }

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
}
