import CadastreModel
public import CadastrePredicate

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
