import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import FuzzingDriver

/// What holds for every text that somebody may write where a predicate is expected.
///
/// - it is read, or refused with a place within the text;
/// - what was read, printed and read again is the same, before and after it is bound;
/// - what was bound has one answer: the slow truth's, a scan's and an index's.
struct PredicateLaws {
  private static let harbor = ObjectReference(
    className: "Harbor", identity: .primaryKey(.string("AAR")))
  /// What stands for `%@`, `$0` and their like: one argument of each kind.
  private static let arguments: [PredicateArgument] = [
    .value(.int(3)), .value(.string("crew")), .list([.int(1), .double(2.5), .null]),
    .object(harbor), .objects([harbor]), .value(.double(.nan)),
    .members([EmbeddedMember("type", .value(.string("Point")))]),
  ]

  /// Objects that are asked: those with collections, and those with an index on everything.
  private let worlds: [World]

  /// The laws, with the objects in stores of their own.
  init() throws {
    worlds = try [Fleet.examples, Boats.examples].map(World.init)
  }

  /// Stops the process if a text breaks a law.
  func check(_ text: String) {
    guard let question = read(text) else { return }
    checkPrinted(question)
    for world in worlds {
      for root in world.classes {
        guard let bound = bind(question, world, root, text) else { continue }
        checkPrinted(bound)
        guard bind(bound, world, root, "\(bound)") == bound else {
          stop("\(bound)\nbinds again to something else")
        }
        if let problem = world.problem(root.className, bound) { stop(problem) }
      }
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

  private func bind(
    _ question: QueryText, _ world: World, _ root: ObjectSchema, _ text: String
  ) -> QueryText? {
    do throws(QueryPredicateError) {
      return try question.bound(to: world.schema, root: root)
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
}
