public import Foundation

/// What has happened to a collection.
///
/// Indexes ascend. Those of deletions and modifications are of the collection as it was before, those of
/// insertions as it is now: delete in descending order, then insert in ascending order. An element that
/// has another place among the others, in sorted results, is deleted and inserted.
public enum RealmCollectionChange<Collection> {
  /// The collection as it is at the beginning.
  case initial(Collection)
  /// The collection after some commits.
  case update(Collection, deletions: [Int], insertions: [Int], modifications: [Int])
  /// Never given; it stands here for code written for Realm.
  case error(any Error)
}

/// What has happened to a map.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
  /// The map as it is at the beginning.
  case initial(Collection)
  /// The map after some commits: the keys that are gone, that are new, and whose values have changed,
  /// each in byte order.
  case update(
    Collection, deletions: [Collection.Key], insertions: [Collection.Key],
    modifications: [Collection.Key])
  /// Never given; it stands here for code written for Realm.
  case error(any Error)
}

/// What has happened to an object.
public enum ObjectChange<Value> {
  /// Properties have changed.
  case change(Value, [PropertyChange])
  /// The object has been deleted; nothing more will be told.
  case deleted
  /// Never given; it stands here for code written for Realm.
  case error(any Error)
}

/// What has happened to a property of an object.
public struct PropertyChange {
  /// The property.
  public let name: String
  /// The value before; nil for collections, and where the change was made where it is told.
  public let oldValue: Any?
  /// The value now; nil for collections.
  public let newValue: Any?
}

/// What has happened to results in sections.
///
/// The paths are those of the section and of the element in it. Deletions and modifications are those of
/// the sections as they were before, insertions as they are now; what was in a section that is gone is
/// not deleted one by one.
public enum SectionedResultsChange<Collection> {
  /// The sections as they are at the beginning.
  case initial(Collection)
  /// The sections after some commits.
  case update(
    Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
    sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}
