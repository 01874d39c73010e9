import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import FuzzingDriver

/// The properties that the predicate language must have for every text.
///
/// - The text is parsed, or rejected with a position inside the text.
/// - A predicate that is printed and parsed again is equal, before and after it is bound.
/// - The reference evaluator, a scan and an index search return the same result for a bound
///   predicate.
struct PredicateProperties {
  private static let harbor = ObjectReference(
    className: "Harbor", identity: .primaryKey(.string("AAR")))
  /// The values of `%@`, `$0` and so on: one argument of each kind.
  private static let arguments: [PredicateArgument] = [
    .value(.int(3)), .value(.string("crew")), .list([.int(1), .double(2.5), .null]),
    .object(harbor), .objects([harbor]), .value(.double(.nan)),
    .members([EmbeddedMember("type", .value(.string("Point")))]),
  ]

  /// The stores that are queried: objects with collections, and objects with an index on every
  /// property.
  private let stores: [SampleStore]

  /// Stores the sample objects.
  init() throws {
    stores = try [Fleet.examples, Boats.examples].map(SampleStore.init)
  }

  /// Stops the process if a text violates a property.
  func check(_ text: String) {
    guard let query = parse(text) else { return }
    checkPrinted(query)
    for store in stores {
      for root in store.classes {
        guard let bound = bind(query, store, root, text) else { continue }
        checkPrinted(bound)
        guard bind(bound, store, root, "\(bound)") == bound else {
          stop("\(bound)\nbinds to a different predicate the second time")
        }
        if let problem = store.problem(root.className, bound) { stop(problem) }
      }
    }
  }

  // MARK: Parsing

  private func parse(_ text: String) -> QueryText? {
    do throws(QueryPredicateError) {
      return try QueryText(parsing: text, arguments: Self.arguments)
    } catch {
      checkPosition(error, text)
      return nil
    }
  }

  private func bind(
    _ query: QueryText, _ store: SampleStore, _ root: ObjectSchema, _ text: String
  ) -> QueryText? {
    do throws(QueryPredicateError) {
      return try query.bound(to: store.schema, root: root)
    } catch {
      checkPosition(error.found(in: text), text)
      return nil
    }
  }

  private func checkPosition(_ error: QueryPredicateError, _ text: String) {
    if error.description.isEmpty { stop("an error without a message") }
    guard let span = error.span else { return }
    let length = text.unicodeScalars.count
    if span.offset < 0 || span.offset > length || span.count < 1 {
      stop("'\(error.message)' is at \(span) of \(length) characters")
    }
  }

  // MARK: Printing

  private func checkPrinted(_ query: QueryText) {
    let text = query.description
    do throws(QueryPredicateError) {
      let again = try QueryText(parsing: text)
      if again != query {
        stop("printed\n\(text)\nparses to\n\(again)\ninstead of\n\(query)")
      }
    } catch {
      stop("the printed text cannot be parsed: \(error)")
    }
  }
}
