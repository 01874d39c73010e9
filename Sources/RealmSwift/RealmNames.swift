public import Cadastre
public import Foundation

// Names and signatures that only programs written for Realm use.

/// A closure that is called with new versions of a Realm.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

/// A type of properties by which objects are sorted.
public protocol SortableType {}

extension AnyRealmValue: SortableType {}
extension Bool: SortableType {}
extension Data: SortableType {}
extension Date: SortableType {}
extension Decimal128: SortableType {}
extension Double: SortableType {}
extension Float: SortableType {}
extension Int: SortableType {}
extension Int16: SortableType {}
extension Int32: SortableType {}
extension Int64: SortableType {}
extension Int8: SortableType {}
extension ObjectId: SortableType {}
extension Optional: SortableType where Wrapped: SortableType {}
extension String: SortableType {}
extension UUID: SortableType {}

/// Sections, or the elements of one section.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined {}

extension SectionedResults: RealmSectionedResult {}
extension ResultsSection: RealmSectionedResult {}

/// A projection whose changes are observed.
public protocol ProjectionObservable: AnyObject, ThreadConfined {
  /// The class of the root object.
  associatedtype Root: ObjectBase
  /// The object whose properties are read and written.
  var rootObject: Root { get }
}

extension Projection: ProjectionObservable {}

extension RealmCollection where Element: KeypathSortable {
  /// Divides the objects, sorted by properties, into sections by the key that a closure computes.
  ///
  /// An empty array, or a descriptor that does not fit the class, stops the process.
  public func sectioned<Key: Persistable & Hashable>(
    sortDescriptors: [Cadastre.SortDescriptor], _ key: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element> { sectioned(by: key, sortDescriptors: sortDescriptors) }
}

/// Aggregates as the number and date types of Foundation.
extension RealmCollection {
  /// Returns the smallest value of a property; nil if there is none.
  @_disfavoredOverload
  public func min(ofProperty property: String) -> NSNumber? {
    (min(ofProperty: property) as AnyRealmValue?)?.number
  }

  /// Returns the largest value of a property; nil if there is none.
  @_disfavoredOverload
  public func max(ofProperty property: String) -> NSNumber? {
    (max(ofProperty: property) as AnyRealmValue?)?.number
  }

  /// Returns the sum of a property; zero for an empty collection.
  @_disfavoredOverload
  public func sum(ofProperty property: String) -> NSNumber {
    (sum(ofProperty: property) as AnyRealmValue).number ?? 0
  }

  /// Returns the average of a property; nil for an empty collection.
  @_disfavoredOverload
  public func average(ofProperty property: String) -> NSNumber? {
    (average(ofProperty: property) as AnyRealmValue?)?.number
  }

  /// Returns the earliest date of a property; nil if there is none.
  @_disfavoredOverload
  public func min(ofProperty property: String) -> NSDate? {
    (min(ofProperty: property) as Date?).map { NSDate(timeInterval: 0, since: $0) }
  }

  /// Returns the latest date of a property; nil if there is none.
  @_disfavoredOverload
  public func max(ofProperty property: String) -> NSDate? {
    (max(ofProperty: property) as Date?).map { NSDate(timeInterval: 0, since: $0) }
  }
}

/// Aggregates as the number and date types of Foundation.
extension RealmKeyedCollection {
  /// Returns the smallest value of a property; nil if there is none.
  @_disfavoredOverload
  public func min(ofProperty property: String) -> NSNumber? {
    (min(ofProperty: property) as AnyRealmValue?)?.number
  }

  /// Returns the largest value of a property; nil if there is none.
  @_disfavoredOverload
  public func max(ofProperty property: String) -> NSNumber? {
    (max(ofProperty: property) as AnyRealmValue?)?.number
  }

  /// Returns the sum of a property; zero for an empty collection.
  @_disfavoredOverload
  public func sum(ofProperty property: String) -> NSNumber {
    (sum(ofProperty: property) as AnyRealmValue).number ?? 0
  }

  /// Returns the average of a property; nil for an empty collection.
  @_disfavoredOverload
  public func average(ofProperty property: String) -> NSNumber? {
    (average(ofProperty: property) as AnyRealmValue?)?.number
  }
}

extension AnyRealmValue {
  /// The number as an object; nil for other values.
  fileprivate var number: NSNumber? {
    switch self {
    case .int(let value): NSNumber(value: value)
    case .float(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .decimal128(let value): NSDecimalNumber(string: value.description)
    default: nil
    }
  }
}
