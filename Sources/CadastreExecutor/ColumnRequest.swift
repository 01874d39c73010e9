import CadastreModel
import CadastrePredicate
import CadastreStore

/// Collects the columns that the steps of a plan need, each once, and gives them their places.
struct ColumnRequest {
  private let catalogue: Catalogue
  private let root: TableLayout
  private(set) var columns: [ColumnReference] = []
  private var places: [ColumnReference: Int] = [:]

  init(_ root: TableLayout, _ catalogue: Catalogue) {
    self.root = root
    self.catalogue = catalogue
  }

  /// What stands at the end of a path, as places in a batch.
  enum Leaf {
    /// A value or a link.
    case value(Int)
    /// Whether an embedded object is there.
    case presence(Int)
    /// The place of an embedded point, and whether it is there.
    case point(PointPlaces)
    /// The type of an embedded point.
    case pointType(PointPlaces)
    /// The coordinates of an embedded point.
    case pointCoordinates(PointPlaces)
    /// A collection in a table of its own.
    case collection(CollectionPlaces)
  }

  /// Where a collection is, as places in a batch.
  struct CollectionPlaces {
    var layout: CollectionLayout
    /// The key of the row that it belongs to; nil where that is the batch's own.
    var owner: Int?
    /// The number of elements; null behind a null link.
    var count: Int
  }

  /// The columns of an embedded point, as places in a batch.
  struct PointPlaces {
    /// Null where the point is not there; nil where it is the batch's own row.
    var presence: Int?
    var longitude: Int
    var latitude: Int
    var altitude: Int
    var odd: Int
  }

  /// What a path leads to, and the columns that are null where a link or an embedded object on the
  /// way is null.
  mutating func leaf(
    _ properties: some Collection<BoundProperty>
  ) throws(StoreError) -> (leaf: Leaf, way: [Int]) {
    var hops: [ColumnReference.Hop] = []
    var layout = root
    var fields = root.fields
    var point = ownPoint
    var owner: Int?
    var way: [Int] = []
    for (step, property) in properties.enumerated() {
      guard let index = property.index else { break }
      let isLast = step == properties.count - 1
      switch fields[index] {
      case .scalar(let column):
        return (.value(place(hops, column, layout)), way)
      case .link(let column):
        let linkPlace = place(hops, column, layout)
        if isLast { return (.value(linkPlace), way) }
        let next = try target(of: property)
        way.append(linkPlace)
        hops.append(ColumnReference.Hop(column: column, target: next.schema.className))
        (layout, fields, point) = (next, next.fields, nil)
        owner = linkPlace
      case .owned(let column):
        let presence = place(hops, column, layout)
        let next = try target(of: property)
        hops.append(ColumnReference.Hop(column: column, target: next.schema.className))
        point = next.point.map { places(of: $0, presence, hops, next) }
        if isLast { return (point.map(Leaf.point) ?? .presence(presence), way) }
        way.append(presence)
        (layout, fields) = (next, next.fields)
        owner = presence
      case .collection(let collection):
        let count = place(hops, collection.countColumn, layout)
        return (.collection(CollectionPlaces(layout: collection, owner: owner, count: count)), way)
      case .embedded(let embedded):
        let presence = place(hops, embedded.presence, layout)
        point = embedded.point.map { places(of: $0, presence, hops, layout) }
        if isLast { return (point.map(Leaf.point) ?? .presence(presence), way) }
        way.append(presence)
        fields = embedded.fields
      case .pointType:
        if let point { return (.pointType(point), way) }
      case .pointCoordinates:
        if let point { return (.pointCoordinates(point), way) }
      }
    }
    let path = properties.map(\.property.name).joined(separator: ".")
    throw StoreError(.corrupt("it has no property '\(path)'"), path: root.tableName)
  }

  /// The table of the class that a link leads to.
  private func target(of link: BoundProperty) throws(StoreError) -> TableLayout {
    let className = link.property.objectClassName ?? ""
    guard let layout = catalogue.layout(className) else {
      throw StoreError(.corrupt("it has no class '\(className)'"), path: root.tableName)
    }
    return layout
  }

  /// The place of a point, where the rows are such themselves.
  var ownPoint: PointPlaces? {
    mutating get { root.point.map { places(of: $0, nil, [], root) } }
  }

  private mutating func places(
    of columns: PointColumns, _ presence: Int?, _ hops: [ColumnReference.Hop],
    _ layout: TableLayout
  ) -> PointPlaces {
    PointPlaces(
      presence: presence, longitude: place(hops, columns.longitude, layout),
      latitude: place(hops, columns.latitude, layout),
      altitude: place(hops, columns.altitude, layout), odd: place(hops, columns.odd, layout))
  }

  private mutating func place(
    _ hops: [ColumnReference.Hop], _ column: Int, _ layout: TableLayout
  ) -> Int {
    let reference = ColumnReference(
      hops: hops, column: column, type: layout.columns[column].type)
    if let known = places[reference] { return known }
    columns.append(reference)
    places[reference] = columns.count - 1
    return columns.count - 1
  }
}
