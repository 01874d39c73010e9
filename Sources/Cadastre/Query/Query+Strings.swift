import CadastreModel
public import CadastrePredicate
public import Foundation

/// Text or bytes, or the optional of one, in which others can be looked for.
public protocol SearchablePersistable: Persistable {}

extension String: SearchablePersistable {}
extension Data: SearchablePersistable {}
extension Optional: SearchablePersistable
where Wrapped: SearchablePersistable & OptionalPersistable {}

extension Query where Value: SearchablePersistable {
  /// Holds a text or bytes anywhere; the empty text is held by none.
  public func contains(_ part: Value, options: StringOptions = []) -> Query<Bool> {
    comparison(.contains, part, options)
  }
  /// Starts with a text or bytes.
  public func starts(with part: Value, options: StringOptions = []) -> Query<Bool> {
    comparison(.beginsWith, part, options)
  }
  /// Ends with a text or bytes.
  public func ends(with part: Value, options: StringOptions = []) -> Query<Bool> {
    comparison(.endsWith, part, options)
  }
  /// Equal to a text or bytes, under options.
  public func equals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    comparison(.equal, other, options)
  }
  /// Not equal to a text or bytes, under options.
  public func notEquals(_ other: Value, options: StringOptions = []) -> Query<Bool> {
    comparison(.notEqual, other, options)
  }

  fileprivate func comparison(
    _ operation: ComparisonOperator, _ part: Value, _ options: StringOptions
  ) -> Query<Bool> {
    guard case .value(let constant) = Value.content(of: part) else {
      Misuse.stop("'\(path)' cannot be searched.")
    }
    return Query<Bool>(.compare(path, operation, constant, options: options))
  }
}

extension Query where Value == String {
  /// Fits a pattern of `*`, any run of characters, and `?`, one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    comparison(.like, pattern, caseInsensitive ? .caseInsensitive : [])
  }
}

extension Query where Value == String? {
  /// Fits a pattern of `*`, any run of characters, and `?`, one character.
  public func like(_ pattern: String, caseInsensitive: Bool = false) -> Query<Bool> {
    comparison(.like, pattern, caseInsensitive ? .caseInsensitive : [])
  }
}
