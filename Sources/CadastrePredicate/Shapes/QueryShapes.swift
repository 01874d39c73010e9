package import CadastreModel

/// What the queries of a schema have in common, apart from their constants: parsed texts and
/// resolved paths.
///
/// Another schema, such as one with another index, has shapes of its own. Nothing is parsed or
/// resolved while a lock is held, so that threads do not wait for each other.
package final class QueryShapes: Sendable {
  /// Tells schemas apart, also after one of them is gone.
  final class Identity: Sendable {}

  let identity = Identity()

  private struct TextKey: Hashable {
    let text: String
    let kinds: UInt64

    static func == (first: TextKey, second: TextKey) -> Bool {
      first.kinds == second.kinds && first.text.hasSameBytes(as: second.text)
    }

    func hash(into hasher: inout Hasher) {
      text.hashBytes(into: &hasher)
      hasher.combine(kinds)
    }
  }

  private struct PathKey: Hashable {
    let className: String
    let path: PropertyPath

    /// Hashes the path only: few classes have a property of the same name.
    func hash(into hasher: inout Hasher) { hasher.combine(path) }
  }

  private let texts = Guarded(
    BoundedCache<TextKey, PredicateTemplate>(maximumCount: 256, maximumCost: 1 << 20))
  private let paths = Guarded(
    BoundedCache<PathKey, BoundPath>(maximumCount: 1024, maximumCost: 1 << 20))

  // MARK: Texts

  /// Parses and binds a predicate, or fills in a text that was bound before with other arguments.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - arguments: The arguments.
  ///   - className: The queried class.
  ///   - bind: Binds a predicate that was not bound before, or whose arguments need a check.
  /// - Returns: The bound predicate.
  /// - Throws: ``QueryPredicateError`` that says where, what was found and what was expected.
  package func bound(
    parsing text: String, arguments: [PredicateArgument], to className: String,
    _ bind: (QueryPredicate) throws(QueryPredicateError) -> BoundPredicate
  ) throws(QueryPredicateError) -> BoundPredicate {
    guard let kinds = PredicateArgument.kinds(of: arguments) else {
      return try bind(QueryPredicate(parsing: text, arguments: arguments))
    }
    let key = TextKey(text: text, kinds: kinds)
    if let known = texts.withLock({ $0.value(for: key) }) {
      return try known.bound(arguments, to: className, in: self, bind)
    }
    let (predicate, template) = try PredicateTemplate.parsed(text, arguments)
    if let template {
      texts.withLock {
        $0.insert(template, for: key, cost: text.utf8.count * PredicateTemplate.bytesPerCharacter)
      }
    }
    return try bind(predicate)
  }

  // MARK: Paths

  /// Resolves a path from a class, or returns the path resolved before; its steps have no locations
  /// in a text.
  ///
  /// - Throws: ``QueryPredicateError`` at the step that does not fit.
  package func path(
    _ path: PropertyPath, from root: ObjectSchema, in schema: Schema
  ) throws(QueryPredicateError) -> BoundPath {
    let key = PathKey(className: root.className, path: path)
    if let known = paths.withLock({ $0.value(for: key) }) { return known }
    let withoutSpans = PropertyPath(steps: path.steps)
    let resolved: BoundPath
    do throws(QueryPredicateError) {
      resolved = try schema.resolve(withoutSpans, from: root)
    } catch {
      // The error names the location in this text; the path that is kept has none.
      _ = try schema.resolve(path, from: root)
      throw error
    }
    let kept = PathKey(className: root.className, path: withoutSpans)
    paths.withLock { $0.insert(resolved, for: kept, cost: Self.bytesPerStep * path.steps.count) }
    return resolved
  }

  /// About the size in bytes of a step of a resolved path.
  private static let bytesPerStep = 256
}

extension Schema {
  /// What the queries of this schema have in common.
  package var shapes: QueryShapes { derived { QueryShapes() } }
}
