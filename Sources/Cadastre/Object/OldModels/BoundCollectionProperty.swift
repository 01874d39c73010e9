/// The managed property to which a collection of an unmanaged object was bound when the object was
/// added.
///
/// It refers to the stored object rather than to the instance, which may retain the collection.
struct BoundCollectionProperty {
  let property: Int
  let position: ObjectPosition?
  /// The recorder of key paths that the property belongs to instead.
  private weak var recorder: ObjectBase?

  /// Nil for an object that is neither managed nor a recorder.
  init?(_ property: Int, of object: ObjectBase) {
    guard object.position != nil || object.recording != nil else { return nil }
    self.property = property
    position = object.position
    recorder = position == nil ? object : nil
  }

  /// Where the elements of a collection are; nil in a recorder.
  var source: (any ElementSource)? {
    position?.elementSource(property, isChecked: false)
  }

  func noteRead() { recorder?.record(property) }

  func noteComputedRead() { recorder?.recordComputed(property) }
}
