package import CadastreModel

/// A cache of the paths of a schema that were resolved last, so that equal paths are one object.
///
/// Each schema has a cache of its own, also one that differs in an index only. Nothing is resolved while the lock is
/// held, so that threads do not wait for each other.
package final class ResolvedPaths: Sendable {
  /// A path as it was written, and resolved.
  private final class Entry: Sendable {
    let className: String
    let path: PropertyPath
    let resolved: BoundPath

    init(_ className: String, _ path: PropertyPath, _ resolved: BoundPath) {
      self.className = className
      self.path = path
      self.resolved = resolved
    }
  }

  // Invariant: all objects are of the class `Entry`.
  private let paths = ObjectCache(maximumCount: 1024, maximumCost: 1 << 20)

  /// Resolves a path from a class, or returns the path resolved before; the result has no locations in a
  /// text.
  ///
  /// - Throws: ``QueryPredicateError`` at the step that does not fit.
  package func path(
    _ path: PropertyPath, from root: ObjectSchema, in schema: Schema
  ) throws(QueryPredicateError) -> BoundPath {
    var hasher = Hasher()
    hasher.combine(path)
    root.className.hashBytes(into: &hasher)
    let hash = hasher.finalize()
    if let object = paths.object(hash) {
      let known = unsafeDowncast(object, to: Entry.self)
      if known.path == path, known.className == root.className { return known.resolved }
    }
    let withoutSpans = PropertyPath(steps: path.steps)
    let resolved: BoundPath
    do throws(QueryPredicateError) {
      resolved = try schema.resolve(withoutSpans, from: root)
    } catch {
      // The error has the location in this text; cached paths have none.
      _ = try schema.resolve(path, from: root)
      throw error
    }
    paths.insert(
      Entry(root.className, withoutSpans, resolved), hash,
      cost: Self.bytesPerStep * path.steps.count)
    return resolved
  }

  /// The approximate size of a step of a resolved path.
  private static let bytesPerStep = 256
}

extension Schema {
  /// The cache of resolved paths.
  package var resolvedPaths: ResolvedPaths { derived { ResolvedPaths() } }
}
