import CadastreModel
public import CadastrePredicate
import CadastreStore

/// Checks of key paths from outside the program; `observe` and `changes` stop the process for those that lead
/// nowhere.
extension RealmCollection {
  /// Checks that key paths from outside the program lead to properties whose changes can be observed.
  ///
  ///     try airports.check(keyPaths: keyPaths)
  ///     for await change in airports.changes(keyPaths: keyPaths) { … }
  ///
  /// - Parameter keyPaths: The key paths, names joined by dots.
  /// - Throws: `QueryPredicateError` for a key path that leads nowhere.
  public func check(keyPaths: [String]) throws(QueryPredicateError) {
    guard let source = handle.source, let table = source.table else { return }
    _ = try ChangeTrace(checking: keyPaths, of: table, in: source.core, within: nil)
  }
}

extension ObjectBase {
  /// Checks that key paths from outside the program lead to properties whose changes can be observed.
  ///
  /// - Parameter keyPaths: The key paths, names joined by dots.
  /// - Throws: `QueryPredicateError` for a key path that leads nowhere.
  public func check(keyPaths: [String]) throws(QueryPredicateError) {
    guard let position else { return }
    let row = position.row
    _ = try ChangeTrace(checking: keyPaths, of: row.table, in: row.core, within: position)
  }
}
