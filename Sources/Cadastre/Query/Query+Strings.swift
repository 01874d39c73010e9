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
