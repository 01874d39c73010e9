package import CadastreModel

/// What a query may name, and how its messages are written.
package struct QueryScope: Sendable {
  /// The classes and fields that a query may name; nil for those of the store.
  package var schema: Schema?
  /// Whether messages name the options of the command line.
  package var namesOptions: Bool

  /// A scope of all classes, for the command line.
  package static let commandLine = QueryScope(schema: nil, namesOptions: true)

  /// Creates a scope.
  package init(schema: Schema?, namesOptions: Bool) {
    (self.schema, self.namesOptions) = (schema, namesOptions)
  }

  /// The name of a parameter in messages: `--by`, or `by`.
  func name(of option: String) -> String { namesOptions ? "--\(option)" : option }
}
