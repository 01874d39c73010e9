/// The property of a managed object that something which the object held before follows now.
///
/// It holds the place in the store rather than the object, which may hold it in turn.
struct FollowedProperty {
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
