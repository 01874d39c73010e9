import CadastreModel

/// The limits of the embedded objects that a condition compares with.
///
/// An unmanaged embedded object may contain itself, and two properties may have the same object, so that the number of
/// members may be far greater than that of objects, or infinite.
extension PredicateArgument {
  /// The maximum number of embedded objects inside each other, which bounds the stack.
  package static let maximumLevels = 32
  /// The maximum number of members of embedded objects; each member becomes a condition.
  package static let maximumMembers = 100_000

  /// Refuses content with too many levels or members.
  func checkSize(_ span: TextSpan?) throws(QueryPredicateError) {
    var memberCount = 0
    var pending = [(content: self, level: 0)]
    while let (content, level) = pending.popLast() {
      switch content {
      case .members(let members):
        memberCount += members.count
        guard level < Self.maximumLevels, memberCount <= Self.maximumMembers else {
          throw QueryPredicateError(
            .invalidArgument,
            "a condition compares at most \(Self.maximumLevels) embedded objects inside each other and "
              + "\(Self.maximumMembers) members, found more than "
              + (level < Self.maximumLevels
                ? "\(Self.maximumMembers) members" : "\(Self.maximumLevels) embedded objects")
              + ": compare single members with values", span: span)
        }
        pending += members.map { ($0.content, level + 1) }
      case .entries(let entries): pending += entries.map { ($0.content, level) }
      case .elements(let elements): pending += elements.map { ($0, level) }
      case .value, .list, .shape, .object, .objects: break
      }
    }
  }
}
