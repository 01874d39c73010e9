import CadastreModel
public import CadastrePredicate
public import Foundation

/// Text or bytes, or the optional of one, in which others can be looked for.
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

/// Matches where it holds text or bytes.
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
  /// Matches texts or data that contain a part; the empty part is contained in none.
  public func contains(_ part: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .contains, part, options: options)
  }
  /// Starts with a text or bytes.
  public func starts(with part: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .beginsWith, part, options: options)
  }
  /// Ends with a text or bytes.
  public func ends(with part: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .endsWith, part, options: options)
  }
  /// Equal to a text or bytes, under options.
  public func equals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .equal, other, options: options)
  }
  /// Not equal to a text or bytes, under options.
  public func notEquals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .notEqual, other, options: options)
  }

  /// Holds the text or bytes of another property.
  public func contains<Other: SearchablePersistable>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.contains, with: other, options: options)
  }
  /// Starts with the text or bytes of another property.
  public func starts<Other: SearchablePersistable>(
    with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.beginsWith, with: other, options: options)
  }
  /// Ends with the text or bytes of another property.
  public func ends<Other: SearchablePersistable>(
    with other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.endsWith, with: other, options: options)
  }
  /// Equal to another property, under options.
  public func equals<Other: SearchablePersistable>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.equal, with: other, options: options)
  }
  /// Not equal to another property, under options.
  public func notEquals<Other: SearchablePersistable>(
    _ other: Query<Other>, options: StringOptions = []
  ) -> Query<Bool> where Other.SearchedType == Value.SearchedType {
    compared(.notEqual, with: other, options: options)
  }
}

extension Query where Value: SearchablePersistable, Value.SearchedType == String {
  /// Fits a pattern of `*`, any run of characters, and `?`, one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(pattern, caseInsensitive)
  }
  /// Fits a pattern that another property holds.
  public func like<Other: SearchablePersistable>(
    _ pattern: Query<Other>, caseInsensitive: Bool = false
  ) -> Query<Bool> where Other.SearchedType == String {
    compared(.like, with: pattern, options: caseInsensitive ? .caseInsensitive : [])
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement: SearchablePersistable {
  /// Has an element that holds a text or bytes anywhere; without options see `contains(_:)`.
  public func contains(_ part: Value.QueryElement, options: StringOptions) -> Query<Bool> {
    compared(by: .contains, part, options: options)
  }
  /// Has an element that starts with a text or bytes.
  public func starts(
    with part: Value.QueryElement, options: StringOptions = []
  ) -> Query<Bool> {
    compared(by: .beginsWith, part, options: options)
  }
  /// Has an element that ends with a text or bytes.
  public func ends(with part: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    compared(by: .endsWith, part, options: options)
  }
  /// Has an element that is equal to a text or bytes, under options.
  public func equals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    compared(by: .equal, other, options: options)
  }
  /// Has an element that is not equal to a text or bytes, under options.
  public func notEquals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    compared(by: .notEqual, other, options: options)
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement == String {
  /// Has an element that fits a pattern of `*`, any run of characters, and `?`, one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(pattern, caseInsensitive)
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement == String? {
  /// Has an element that fits a pattern of `*`, any run of characters, and `?`, one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    fits(pattern, caseInsensitive)
  }
}

extension Query {
  func fits(_ pattern: String, _ caseInsensitive: Bool) -> Query<Bool> {
    compared(by: .like, pattern, options: caseInsensitive ? .caseInsensitive : [])
  }
}

/// Mapped types and enumerations that are stored as text or bytes.
extension Query
where Value: Persistable & MappedPersistable, Value.StoredType: SearchablePersistable {
  /// Contains the stored form of a value.
  public func contains(_ part: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .contains, part, options: options)
  }
  /// Starts with the stored form of a value.
  public func starts(with part: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .beginsWith, part, options: options)
  }
  /// Ends with the stored form of a value.
  public func ends(with part: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .endsWith, part, options: options)
  }
  /// Equal to a value, under options.
  public func equals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .equal, other, options: options)
  }
  /// Not equal to a value, under options.
  public func notEquals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    compared(by: .notEqual, other, options: options)
  }
  /// Fits the stored form of a value as a pattern of `*` and `?`.
  public func like(_ pattern: Value, caseInsensitive: Bool = false) -> Query<Bool>
  where Value.StoredType.SearchedType == String {
    compared(by: .like, pattern, options: caseInsensitive ? .caseInsensitive : [])
  }
  /// Fits a pattern of `*`, any run of characters, and `?`, one character.
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
  /// Has an element that contains the stored form of a value; without options see `contains(_:)`.
  public func contains(_ part: Value.QueryElement, options: StringOptions) -> Query<Bool> {
    compared(by: .contains, part, options: options)
  }
  /// Has an element that starts with the stored form of a value.
  public func starts(
    with part: Value.QueryElement, options: StringOptions = []
  ) -> Query<Bool> {
    compared(by: .beginsWith, part, options: options)
  }
  /// Has an element that ends with the stored form of a value.
  public func ends(with part: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    compared(by: .endsWith, part, options: options)
  }
  /// Has an element that is equal to a value, under options.
  public func equals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    compared(by: .equal, other, options: options)
  }
  /// Has an element that is not equal to a value, under options.
  public func notEquals(_ other: Value.QueryElement, options: StringOptions = []) -> Query<Bool> {
    compared(by: .notEqual, other, options: options)
  }
  /// Has an element that fits a pattern of `*`, any run of characters, and `?`, one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool>
  where Value.QueryElement.StoredType.SearchedType == String {
    fits(pattern, caseInsensitive)
  }
}

/// A type whose values are text that may have a full-text index: strings, and optional ones.
@_documentation(visibility: internal)
public protocol FullTextPersistable: Persistable {}

extension String: FullTextPersistable {}
extension Optional: FullTextPersistable where Wrapped == String {}

extension Query where Value: FullTextPersistable {
  /// Matches texts with all of some words, in any order, and none of others.
  ///
  ///     boats.where { $0.log.hasWords("north* wind -calm") }
  ///
  /// A word matches in any letter case and without accents, `nor*` matches all words with that
  /// prefix, and `-calm` excludes a word. A property marked `@Persisted(fullText: true)` is
  /// searched by index.
  ///
  /// The text may come from a search box: only letters, digits and marks in it count, and no text is
  /// an error. One without a word matches nothing, and so does one that wants a word and excludes it.
  ///
  /// - Parameter text: The words, separated by blanks.
  /// - Returns: The condition.
  public func hasWords(_ text: String) -> Query<Bool> {
    guard TextPattern(freeText: text) != nil else { return condition { _ in .constant(false) } }
    return condition { .comparison(Comparison($0, .text, .value(.string(text)))) }
  }
}
