import CadastreGeometry
import CadastreModel

/// The approximate size of predicates, by which the caches of predicates are limited.
extension QueryPredicate {
  /// The approximate size in bytes of the predicate and of its bound form.
  var parameterizedByteCount: Int {
    var sum = 256
    forEachLeaf { leaf in
      sum += 512
      switch leaf {
      case .comparison(let comparison):
        sum += comparison.left.byteCount + comparison.right.byteCount
      case .geoWithin(let within): sum += within.shape.byteCount
      case .relation(let relation): sum += relation.left.byteCount + relation.right.byteCount
      case .constant, .not, .and, .or: break
      }
    }
    return sum
  }
}

/// The approximate size of a prepared vertex, and of a constant without its contents.
private let (bytesPerVertex, bytesPerConstant) = (256, 64)

extension Operand {
  fileprivate var byteCount: Int {
    switch self {
    case .property, .elements, .aggregate, .now: 0
    case .value(let value): value.contentByteCount
    case .list(let values), .constants(_, let values): values.byteCount
    case .object(let reference): reference.byteCount
    case .objects(let references): references.reduce(0) { $0 + $1.byteCount }
    case .content(let content): content.byteCount
    case .subquery(let subquery): subquery.predicate.parameterizedByteCount
    case .outer(let outer): outer.operand.byteCount
    case .arithmetic(let arithmetic): arithmetic.left.byteCount + arithmetic.right.byteCount
    case .distance(let distance): distance.left.byteCount + distance.right.byteCount
    }
  }
}

extension PredicateArgument {
  fileprivate var byteCount: Int {
    switch self {
    case .value(let value): bytesPerConstant + value.contentByteCount
    case .list(let values): values.byteCount
    case .shape(let shape): shape.byteCount
    case .object(let reference): reference.byteCount
    case .objects(let references): references.reduce(0) { $0 + $1.byteCount }
    case .elements(let elements): elements.reduce(bytesPerConstant) { $0 + $1.byteCount }
    case .members(let members), .entries(let members):
      // Each member is bound as a condition.
      members.reduce(0) { $0 + 512 + $1.name.utf8.count + $1.content.byteCount }
    }
  }
}

extension GeometryRelation.Side {
  fileprivate var byteCount: Int {
    switch self {
    case .path: 0
    case .region(let region): region.byteCount
    case .geometry(let geometry): geometry.positionCount * bytesPerVertex
    case .objects(let objects): objects.predicate.parameterizedByteCount
    }
  }
}

extension ObjectReference {
  fileprivate var byteCount: Int {
    let bytes = 2 * bytesPerConstant + className.utf8.count + (store?.utf8.count ?? 0)
    return if case .primaryKey(let value) = identity { bytes + value.contentByteCount } else {
      bytes
    }
  }
}

extension GeoShape {
  fileprivate var byteCount: Int { vertexCount * bytesPerVertex }
}

extension [Value] {
  fileprivate var byteCount: Int {
    reduce(0) { $0 + bytesPerConstant + $1.contentByteCount }
  }
}

extension Value {
  /// The approximate size in bytes of the contents of the value.
  fileprivate var contentByteCount: Int {
    switch self {
    case .geometry(let geometry): geometry.positionCount * bytesPerVertex
    case .list(let values): values.byteCount
    case .map(let map):
      map.entries.reduce(0) {
        $0 + bytesPerConstant + $1.key.utf8.count + $1.value.contentByteCount
      }
    default: byteCount ?? 0
    }
  }
}
