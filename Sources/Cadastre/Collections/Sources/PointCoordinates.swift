import CadastreEngine
import CadastreModel
import CadastreStore

/// The coordinates of a managed point, which its row holds.
final class PointCoordinates: MutableElementSource {
  let position: ObjectPosition

  init(_ position: ObjectPosition) { self.position = position }

  var core: RealmCore { position.row.core }
  var table: ManagedTable? { nil }
  var isValid: Bool { position.isValid }
  var isReadable: Bool { position.isReadable }
  var kindName: String { "List" }
  var dependencies: QueryDependencies? { nil }

  private var coordinates: [Double] {
    get { position.pointContent.coordinates }
    set {
      var content = position.pointContent
      content.coordinates = newValue
      position.setPointContent(content)
    }
  }

  var count: Int { coordinates.count }
  func value(at index: Int) -> Value { .double(coordinates[index]) }
  func values() -> [Value] { coordinates.map(Value.double) }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? PointCoordinates)?.position.isSameObject(as: position) ?? false
  }

  func requireWrite() { position.row.requireWrite("coordinates") }

  func stored(_ content: PropertyContent) -> Value {
    guard case .value(let value) = content else { return .null }
    return value
  }

  func insert(_ values: [Value], at index: Int) {
    coordinates.insert(contentsOf: values.compactMap { $0.doubleValue }, at: index)
  }

  func remove(_ range: Range<Int>) { coordinates.removeSubrange(range) }

  func replace(at index: Int, with value: Value) { coordinates[index] = value.doubleValue ?? 0 }
}
