import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastrePredicate

/// Long and deep predicates on the small stack of a secondary thread.
@Suite struct DepthTests {
  @Test func `the deepest text that is read can be used everywhere`() throws {
    let texts = [
      Self.nested("NOT (crew == 1 AND ", "crew == 3", ")", 200),
      Self.nested("(crew == 1 OR NOT (active == true AND ", "crew == 3", "))", 100),
      Self.nested("(", "crew + 1", " + 1)", 29) + " == 33",
      "crew == 3 OR crew == " + Self.nested("(crew - ", "1", ")", 30),
      "crew" + String(repeating: " + 1", count: 30) + " == 33",
      "crew" + String(repeating: " * 1", count: 30) + " == 3",
      Self.subqueries(20),
      String(repeating: "crew == 1 OR ", count: 100_000) + "crew == 3",
    ]
    for text in texts {
      let problem = try onSmallStack { try Self.use(text) }
      #expect(problem == nil, "\(text.prefix(60)): \(problem ?? "")")
    }
  }

  @Test func `what is too deep is refused`() throws {
    let texts = [
      Self.nested("(", "crew == 3", ")", 10_000), Self.nested("NOT (", "crew == 3", ")", 10_000),
      Self.nested("(1 + ", "crew", ")", 10_000) + " == 3",
      "crew" + String(repeating: " + 1", count: 100_000) + " == 3", Self.subqueries(30),
      "berth == " + Self.nested("{'a': ", "1", "}", 10_000),
      "name MATCHES '" + Self.nested("(", "a", ")", 10_000) + "'",
    ]
    for text in texts {
      let problem = try onSmallStack { try Self.use(text) }
      #expect(problem?.contains("more than") == true, "\(text.prefix(60)): \(problem ?? "")")
    }
  }

  @Test func `trees that are too deep to be walked are refused when they are bound`() throws {
    let schema = Fleet.schema
    let root = try #require(schema["Boat"])
    let site = PropertyPath(["berth", "site"])
    let wraps: [(QueryPredicate) -> QueryPredicate] = [
      { .not(.and([$0])) },
      { .compareCount(of: PropertyPath("boats"), where: $0, .greater, .int(0)) },
      // The conditions on the objects of relations were not counted.
      {
        .relation(
          GeometryRelation(
            .path(site), .intersects, .objects(ObjectGeometries(of: "Boat", at: site, where: $0))))
      },
    ]
    for (number, wrap) in wraps.enumerated() {
      var predicate = QueryPredicate.compare(PropertyPath("crew"), .equal, .int(3))
      for _ in 0..<600 { predicate = wrap(predicate) }
      let deep = predicate
      for bind: @Sendable () throws -> BoundPredicate in [
        { try deep.bound(to: schema, root: root) }, { try schema.bound(deep, root) },
      ] {
        let problem = try onSmallStack {
          do {
            _ = try bind()
            return nil
          } catch {
            return "\(error)"
          }
        }
        #expect(problem == "more than 500 nested levels of logic", "\(number)")
      }
    }
  }

  @Test func `members that are too deep are refused, and others need little stack`() throws {
    let ring = ObjectSchema(
      className: "Ring",
      properties: [
        Property(name: "size", type: .int),
        Property(name: "next", type: .object, isOptional: true, objectClassName: "Ring"),
      ], isEmbedded: true)
    let root = ObjectSchema(
      className: "Mooring",
      properties: [
        Property(name: "ring", type: .object, isOptional: true, objectClassName: "Ring")
      ])
    let schema = Schema([ring, root])
    for (count, message) in [(32, nil), (33, "more than 32"), (300, "more than 32")] {
      var content = PredicateArgument.value(.null)
      for size in 0..<count {
        content = .members([
          EmbeddedMember("size", .value(.int(Int64(size)))), EmbeddedMember("next", content),
        ])
      }
      let predicate = try QueryPredicate(parsing: "ring == %@", arguments: [content])
      let problem = try onSmallStack {
        do {
          let bound = try predicate.bound(to: schema, root: root)
          _ = try QueryPredicate(parsing: "\(bound)").bound(to: schema, root: root)
          return nil
        } catch let error as QueryPredicateError {
          return error.message
        }
      }
      if let message {
        #expect(problem?.contains(message) == true, "\(count): \(problem ?? "")")
      } else {
        #expect(problem == nil, "\(count)")
      }
    }
  }

  /// Parses, prints, binds, simplifies, hashes and evaluates a text; returns a failure.
  private static func use(_ text: String) throws -> String? {
    let root = try #require(Fleet.schema["Boat"])
    do throws(QueryPredicateError) {
      let predicate = try QueryPredicate(parsing: text)
      guard try QueryPredicate(parsing: predicate.description) == predicate else {
        return "printed otherwise"
      }
      let bound = try predicate.bound(to: Fleet.schema, root: root)
      let simpler = PredicateRules.simplified(bound)
      var hasher = Hasher()
      hasher.combine(simpler)
      _ = hasher.finalize()
      _ = simpler.paths.count + simpler.named.objectReferences.count
      let evaluator = ReferenceEvaluator(schema: Fleet.schema, root: root)
      let subject = PlainSubject(Fleet.examples, root, 1)
      guard
        try evaluator.matches(subject, bound.named)
          == evaluator.matches(subject, simpler.named)
      else { return "simplified to something else" }
      return nil
    } catch {
      return error.message
    }
  }

  private static func nested(_ open: String, _ core: String, _ close: String, _ count: Int)
    -> String
  {
    String(repeating: open, count: count) + core + String(repeating: close, count: count)
  }

  private static func subqueries(_ count: Int) -> String {
    let opening = (0..<count).map { level in
      "SUBQUERY(\(level == 0 ? "" : "$v\(level - 1).")mates, $v\(level), "
    }
    return opening.joined() + "$v\(count - 1).crew > 0"
      + String(repeating: ").@count > 0", count: count)
  }

  /// Runs something on a thread with the stack that Foundation gives to secondary threads.
  private func onSmallStack(_ body: @escaping @Sendable () throws -> String?) throws -> String? {
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      outcome.result = Result { try body() }
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    return try outcome.result?.get() ?? nil
  }

  /// Safe because the semaphore orders the one write before the one read.
  private final class Outcome: @unchecked Sendable {
    var result: Result<String?, any Error>?
  }
}
