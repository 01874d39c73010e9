/// The order of the values of a managed map, and what they come to.
///
/// Nulls among the values of a map of objects are left out.
extension RealmKeyedCollection {
  /// The values as results; a map that no Realm manages stops the process.
  private var ordered: Results<Value> {
    guard let source = handle.source else {
      Misuse.stop(
        "This method may only be called on maps retrieved from a Realm: add the object that has the map "
          + "first.")
    }
    return Results(Answer(source))
  }

  /// The objects in the order of a property, which may lie behind to-one links.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
    ordered.sorted(byKeyPath: keyPath, ascending: ascending)
  }

  /// The objects in the order of some properties, the first deciding first.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Value> {
    ordered.sorted(by: descriptors)
  }

  /// The values in order.
  public func sorted(ascending: Bool = true) -> Results<Value> {
    ordered.sorted(ascending: ascending)
  }

  /// The smallest value of a property; nil where there is none.
  public func min<Result: MinMaxType>(ofProperty property: String) -> Result? {
    ordered.min(ofProperty: property)
  }

  /// The largest value of a property; nil where there is none.
  public func max<Result: MinMaxType>(ofProperty property: String) -> Result? {
    ordered.max(ofProperty: property)
  }

  /// The sum of a property; zero of nothing.
  public func sum<Result: AddableType>(ofProperty property: String) -> Result {
    ordered.sum(ofProperty: property)
  }

  /// The average of a property; nil of nothing.
  public func average<Result: AddableType>(ofProperty property: String) -> Result? {
    ordered.average(ofProperty: property)
  }
}

extension RealmKeyedCollection where Value: MinMaxType {
  /// The smallest value; nil where there is none.
  public func min() -> Value? { min(ofProperty: "self") }

  /// The largest value; nil where there is none.
  public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: AddableType {
  /// The sum of the values; zero of nothing.
  public func sum() -> Value { sum(ofProperty: "self") }

  /// The average of the values; nil of nothing.
  public func average<Result: AddableType>() -> Result? { average(ofProperty: "self") }
}
