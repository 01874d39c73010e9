import CadastreModel
public import CadastrePredicate
public import Foundation

/// A type of text or bytes with substring search, or its optional.
@_documentation(visibility: internal)
public protocol SearchablePersistable: Persistable {
  /// The type without its optional.
  associatedtype SearchedType
}

extension String: SearchablePersistable {
  /// Text.
  public typealias SearchedType = String
}

extension Data: SearchablePersistable {
  /// Bytes.
  public typealias SearchedType = Data
}

/// Matches values that are text or bytes.
extension AnyRealmValue: SearchablePersistable {
  /// A value of any type.
  public typealias SearchedType = AnyRealmValue
}

extension Optional: SearchablePersistable
where Wrapped: SearchablePersistable & OptionalPersistable {
  /// The type without its optional.
  public typealias SearchedType = Wrapped.SearchedType
}

extension Query where Value: SearchablePersistable {
  /// Matches texts or data that contain a part; an empty part matches nothing.
  public func contains(_ part: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .contains, part, options: options)
  }
  /// Matches texts or data that start with a part.
  public func starts(with part: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .beginsWith, part, options: options)
  }
  /// Matches texts or data that end with a part.
  public func ends(with part: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .endsWith, part, options: options)
  }
  /// Matches texts or data that start with a part, as `starts(with:)`.
  public func hasPrefix(_ part: Value) -> Query<Bool> { starts(with: part) }
  /// Matches texts or data that end with a part, as `ends(with:)`.
  public func hasSuffix(_ part: Value) -> Query<Bool> { ends(with: part) }
  /// Matches texts or data equal to another value, compared with options.
  public func equals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .equal, other, options: options)
  }
  /// Matches texts or data not equal to another value, compared with options.
  public func notEquals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .notEqual, other, options: options)
  }

  /// Matches texts or data that contain the value of another property.
  public func contains<Other: SearchablePersistable>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.contains, with: other, options: options)
  }
  /// Matches texts or data that start with the value of another property.
  public func starts<Other: SearchablePersistable>(
    with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.beginsWith, with: other, options: options)
  }
  /// Matches texts or data that end with the value of another property.
  public func ends<Other: SearchablePersistable>(
    with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.endsWith, with: other, options: options)
  }
  /// Matches values equal to another property, compared with options.
  public func equals<Other: SearchablePersistable>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.equal, with: other, options: options)
  }
  /// Matches values not equal to another property, compared with options.
  public func notEquals<Other: SearchablePersistable>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.notEqual, with: other, options: options)
  }
}

extension Query where Value: SearchablePersistable, Value.SearchedType == String {
  /// Matches texts that fit a pattern: `*` is any sequence of characters, `?` one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(pattern, caseInsensitive)
  }
  /// Matches texts that a regular expression matches entirely.
  ///
  /// An invalid expression stops the process; `where(checking:)` throws.
  public func matches(_ expression: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(expression, caseInsensitive, by: .matches)
  }
  /// Matches texts that fit the pattern in another property.
  public func like<Other: SearchablePersistable>(
    _ pattern: Query<Other>, caseInsensitive: Bool = false
  ) -> Query<Bool> where Other.SearchedType == String {
    compared(.like, with: pattern, options: caseInsensitive ? .caseInsensitive : [])
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement: SearchablePersistable {
  /// Matches collections with an element that contains a part; without options see `contains(_:)`.
  public func contains(_ part: Value.QueryElement, options: StringOptions) -> Query<Bool> {
    node.compared(by: .contains, part, options: options)
  }
  /// Matches collections with an element that starts with a part.
  public func starts(
    with part: Value.QueryElement, options: StringOptions = []
  ) -> Query<Bool> {
    node.compared(by: .beginsWith, part, options: options)
  }
  /// Matches collections with an element that ends with a part.
  public func ends(with part: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .endsWith, part, options: options)
  }
  /// Matches collections with an element that starts with a part, as `starts(with:)`.
  public func hasPrefix(_ part: Value.QueryElement) -> Query<Bool> {
    starts(with: part)
  }
  /// Matches collections with an element that ends with a part, as `ends(with:)`.
  public func hasSuffix(_ part: Value.QueryElement) -> Query<Bool> {
    ends(with: part)
  }
  /// Matches collections with an element equal to another value, compared with options.
  public func equals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .equal, other, options: options)
  }
  /// Matches collections with an element not equal to another value, compared with options.
  public func notEquals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .notEqual, other, options: options)
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement == String {
  /// Matches collections with an element that a regular expression matches entirely.
  ///
  /// An invalid expression stops the process; `where(checking:)` throws.
  public func matches(_ expression: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(expression, caseInsensitive, by: .matches)
  }
  /// Matches collections with an element that fits a pattern: `*` is any sequence of characters, `?` one
  /// character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(pattern, caseInsensitive)
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement == String? {
  /// Matches collections with an element that a regular expression matches entirely.
  ///
  /// An invalid expression stops the process; `where(checking:)` throws.
  public func matches(_ expression: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(expression, caseInsensitive, by: .matches)
  }
  /// Matches collections with an element that fits a pattern: `*` is any sequence of characters, `?` one
  /// character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(pattern, caseInsensitive)
  }
}

extension Query {
  func fits(
    _ pattern: String, _ caseInsensitive: Bool, by operation: ComparisonOperator = .like
  ) -> Query<Bool> {
    node.compared(by: operation, pattern, options: caseInsensitive ? .caseInsensitive : [])
  }
}

/// Search in mapped types and enumerations that are stored as text or bytes.
extension Query
where Value: Persistable & MappedPersistable, Value.StoredType: SearchablePersistable {
  /// Matches values that contain the stored form of a part.
  public func contains(_ part: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .contains, part, options: options)
  }
  /// Matches values that start with the stored form of a part.
  public func starts(with part: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .beginsWith, part, options: options)
  }
  /// Matches values that end with the stored form of a part.
  public func ends(with part: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .endsWith, part, options: options)
  }
  /// Matches values that start with the stored form of a part, as `starts(with:)`.
  public func hasPrefix(_ part: Value) -> Query<Bool> { starts(with: part) }
  /// Matches values that end with the stored form of a part, as `ends(with:)`.
  public func hasSuffix(_ part: Value) -> Query<Bool> { ends(with: part) }
  /// Matches values equal to a value, compared with options.
  public func equals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .equal, other, options: options)
  }
  /// Matches values not equal to a value, compared with options.
  public func notEquals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .notEqual, other, options: options)
  }
  /// Matches values that fit the stored form of a pattern.
  public func like(_ pattern: Value, caseInsensitive: Bool = false) -> Query<Bool>
  where Value.StoredType.SearchedType == String {
    node.compared(by: .like, pattern, options: caseInsensitive ? .caseInsensitive : [])
  }
  /// Matches texts that a regular expression matches entirely.
  ///
  /// An invalid expression stops the process; `where(checking:)` throws.
  public func matches(_ expression: String, caseInsensitive: Bool = false) -> Query<Bool>
  where Value.StoredType.SearchedType == String {
    fits(expression, caseInsensitive, by: .matches)
  }
  /// Matches texts that fit a pattern: `*` is any sequence of characters, `?` one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool>
  where Value.StoredType.SearchedType == String {
    fits(pattern, caseInsensitive)
  }
}

extension Query
where
  Value: QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: SearchablePersistable
{
  /// Matches collections with an element that contains the stored form of a part; without options see
  /// `contains(_:)`.
  public func contains(_ part: Value.QueryElement, options: StringOptions) -> Query<Bool> {
    node.compared(by: .contains, part, options: options)
  }
  /// Matches collections with an element that starts with the stored form of a part.
  public func starts(
    with part: Value.QueryElement, options: StringOptions = []
  ) -> Query<Bool> {
    node.compared(by: .beginsWith, part, options: options)
  }
  /// Matches collections with an element that ends with the stored form of a part.
  public func ends(with part: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .endsWith, part, options: options)
  }
  /// Matches collections with an element equal to a value, compared with options.
  public func equals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .equal, other, options: options)
  }
  /// Matches collections with an element not equal to a value, compared with options.
  public func notEquals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    node.compared(by: .notEqual, other, options: options)
  }
  /// Matches collections with an element that fits a pattern: `*` is any sequence of characters, `?` one
  /// character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool>
  where Value.QueryElement.StoredType.SearchedType == String {
    fits(pattern, caseInsensitive)
  }
}

/// A type of full-text indexed properties: `String` and its optional.
@_documentation(visibility: internal)
public protocol FullTextPersistable: Persistable {}

extension String: FullTextPersistable {}
extension Optional: FullTextPersistable where Wrapped == String {}

extension Query where Value: FullTextPersistable {
  /// Matches texts that contain all required words in any order, and no excluded word.
  ///
  ///     boats.where { $0.log.hasWords("north* wind -calm") }
  ///
  /// Letter case and accents are ignored, `nor*` matches all words with that prefix, and `-calm` excludes a
  /// word. The full-text index of a property marked `@Persisted(fullText: true)` is used.
  ///
  /// The text may come from a search box: only letters, digits and marks are significant, and no text is an
  /// error. A text without a required word, or one that requires and excludes the same word, matches nothing.
  ///
  /// - Parameter text: The words, separated by blanks.
  /// - Returns: The condition.
  public func hasWords(_ text: String) -> Query<Bool> {
    guard TextPattern(freeText: text) != nil else { return condition { _ in .constant(false) } }
    return condition { .comparison(Comparison($0, .text, .value(.string(text)))) }
  }
}
