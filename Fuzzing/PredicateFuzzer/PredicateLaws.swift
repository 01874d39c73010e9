import CadastreExecutor
import CadastreGeometry
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore
import CadastreTestSupport

/// What holds for every text that somebody may write where a predicate is expected.
///
/// - it is read, or refused with a place within the text;
/// - what was read, printed and read again is the same, before and after it is bound;
/// - what was bound has one answer: the slow truth's, a scan's and an index's.
struct PredicateLaws {
  private static let classes = Fleet.schema.objectSchema.filter { !$0.isEmbedded }
  private static let ways = [("with indexes", Planner.Options()), ("by a scan", .withoutIndexes)]
  private static let harbor = ObjectReference(
    className: "Harbor", identity: .primaryKey(.string("AAR")))
  /// What stands for `%@`, `$0` and their like: one argument of each kind.
  private static let arguments: [PredicateArgument] = [
    .value(.int(3)), .value(.string("crew")), .list([.int(1), .double(2.5), .null]),
    .object(harbor), .objects([harbor]), .value(.double(.nan)),
    .members([EmbeddedMember("type", .value(.string("Point")))]),
  ]

  private let oracle = ScanOracle(Fleet.examples)
  private let snapshot: Snapshot

  /// The laws, with the fleet in a store of its own.
  init() throws {
    snapshot = try TestStore.temporary(holding: Fleet.examples).snapshot()
  }

  /// Stops the process if a text breaks a law.
  func check(_ text: String) {
    guard let question = read(text) else { return }
    checkPrinted(question)
    for root in Self.classes {
      guard let bound = bind(question, root, text) else { continue }
      checkPrinted(bound)
      if bind(bound, root, "\(bound)") != bound { stop("\(bound)\nbinds again to something else") }
      checkAnswer(root, bound)
    }
  }

  // MARK: Reading

  private func read(_ text: String) -> QueryText? {
    do throws(QueryPredicateError) {
      return try QueryText(parsing: text, arguments: Self.arguments)
    } catch {
      checkPlace(error, text)
      return nil
    }
  }

  private func bind(_ question: QueryText, _ root: ObjectSchema, _ text: String) -> QueryText? {
    do throws(QueryPredicateError) {
      return try question.bound(to: Fleet.schema, root: root)
    } catch {
      checkPlace(error.found(in: text), text)
      return nil
    }
  }

  private func checkPlace(_ error: QueryPredicateError, _ text: String) {
    if error.description.isEmpty { stop("an error without a sentence") }
    guard let span = error.span else { return }
    let length = text.unicodeScalars.count
    if span.offset < 0 || span.offset > length || span.count < 1 {
      stop("'\(error.message)' is at \(span) of \(length) characters")
    }
  }

  // MARK: Printing

  private func checkPrinted(_ question: QueryText) {
    let text = question.description
    do throws(QueryPredicateError) {
      let again = try QueryText(parsing: text)
      if again != question { stop("printed\n\(text)\nparses back to\n\(again)\n\(question)") }
    } catch {
      stop("printed text does not parse back: \(error)")
    }
  }

  // MARK: Asking

  private func checkAnswer(_ root: ObjectSchema, _ question: QueryText) {
    do {
      let expected = try oracle.keys(root.className, question)
      for (name, options) in Self.ways {
        let found = try answer(root.className, question, options)
        if found != expected {
          stop("\(root.className) where \(question)\n\(name): \(found)\nthe truth: \(expected)")
        }
      }
    } catch {
      stop("\(root.className) where \(question)\ncannot be answered: \(error)")
    }
  }

  private func answer(
    _ className: String, _ question: QueryText, _ options: Planner.Options
  ) throws -> [Int64] {
    let executor = Executor(snapshot, schema: Fleet.schema)
    let query = ObjectQuery(className, where: question.predicate)
    let plan = Planner(StoreCatalog(snapshot), options: options).plan(query)
    var keys = try executor.keys(plan).keys
    for ordering in question.orderings {
      switch ordering {
      case .sort(let terms):
        let order = terms.map { SortKey($0.path, isAscending: $0.isAscending) }
        keys = try executor.sorted(keys, of: className, by: order)
      case .distinct(let paths): keys = try executor.distinct(keys, of: className, by: paths)
      case .limit(let count): keys = Array(keys.prefix(count))
      }
    }
    return keys
  }
}
