import CadastreModel

/// The size of embedded objects with which conditions compare.
///
/// An unmanaged embedded object may lead back to itself, and two properties may have the same one.
extension PredicateArgument {
  /// The largest number of embedded objects inside each other; bounds the stack that is used.
  package static let maximumLevels = 32
  /// The largest number of members of embedded objects; bounds the conditions that are made of them.
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
