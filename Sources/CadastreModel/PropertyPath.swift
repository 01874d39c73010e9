/// The way from an object to a property: names joined by dots.
///
/// Two paths are equal when their names are, wherever in a text they were read.
public struct PropertyPath: Hashable, Sendable, CustomStringConvertible {
  /// The names, first to last; never empty.
  public let names: [String]
  /// Where the path stood in a predicate's text, for messages.
  package let span: TextSpan?

  /// A path of the given names.
  package init(_ names: [String], span: TextSpan? = nil) {
    precondition(!names.isEmpty, "a property path has at least one name")
    self.names = names
    self.span = span
  }

  /// A path written with dots, such as `owner.address.city`.
  public init(_ text: String) {
    self.init(text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// The path one name longer.
  package func appending(_ name: String) -> PropertyPath {
    PropertyPath(names + [name], span: span)
  }

  /// The names joined by dots.
  public var description: String { names.joined(separator: ".") }

  /// Equal names.
  public static func == (first: PropertyPath, second: PropertyPath) -> Bool {
    first.names == second.names
  }

  /// Hashes the names.
  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}

/// A stretch of a text, in Unicode scalars from its start.
public struct TextSpan: Hashable, Sendable {
  /// Unicode scalars before the stretch.
  public var offset: Int
  /// Unicode scalars in the stretch.
  public var count: Int

  /// A stretch of `count` scalars after the first `offset`.
  public init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }
}
