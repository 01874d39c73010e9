import CadastreDatasets
import CadastreGeometry
import CadastrePredicate

/// The selection of a request: objects of a class that match a predicate, in an order.
struct Selection: Hashable {
  var className: String
  /// The predicate in the language of the store; nil for none.
  var predicate: String?
  /// Further conditions, from parameters in other languages.
  var conditions: [QueryPredicate] = []
  /// The text in CQL2 that the locations in ``conditions`` refer to; nil for none.
  var filter: String?
  var order: String?
  var box: BoundingBox?

  /// A selection in a version of the store.
  struct Version: Hashable {
    let selection: Selection
    let version: Int64
  }

  init(_ className: String) { self.className = className }

  /// Whether all objects of the class are selected, in the order of their keys.
  var isEverything: Bool { predicate == nil && conditions.isEmpty && order == nil && box == nil }

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

/// The end of a page of results: the keys of its last objects, and the number of objects so far.
struct Cursor {
  /// The keys of the last objects, in reverse order.
  private let keys: [Int64]
  private let count: Int

  /// The maximum number of keys.
  private static let mostKeys = 4

  /// Creates a cursor after the first `count` objects of a list.
  init(after count: Int, of keys: [Int64]) {
    self.keys = keys[..<count].suffix(Self.mostKeys).reversed()
    self.count = count
  }

  /// Parses a cursor of an earlier response.
  ///
  /// - Throws: ``RequestError`` for invalid text.
  init(_ text: String) throws(RequestError) {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
    let keys = numbers.dropFirst().compactMap(\.self)
    guard (2...Self.mostKeys + 1).contains(numbers.count), keys.count == numbers.count - 1,
      let number = numbers[0], let count = Int(exactly: number), count >= 0
    else {
      throw .parameter("'cursor': expected the text of an earlier response, found '\(text)'")
    }
    (self.keys, self.count) = (keys, count)
  }

  /// The cursor as text.
  var text: String { ([Int64(count)] + keys).map(String.init).joined(separator: ".") }

  /// Returns the index of the next object in a list of keys.
  ///
  /// After insertions and deletions, the next object follows the last remaining object of the page. In the order of
  /// the keys, the index is exact. In another order, the index is the number of objects so far if all objects of the
  /// cursor were deleted.
  ///
  /// - Parameters:
  ///   - list: The keys of the matching objects.
  ///   - isAscending: Whether the list is in ascending order of the keys.
  /// - Returns: The index.
  /// - Complexity: O(log n) in the order of the keys, else O(n).
  func index(in list: [Int64], isAscending: Bool) -> Int {
    if list.indices.contains(count - 1), list[count - 1] == keys[0] { return count }
    if isAscending { return list.partitioningIndex { $0 > keys[0] } }
    for key in keys {
      if let index = list.firstIndex(of: key) { return index + 1 }
    }
    return min(count, list.count)
  }
}
