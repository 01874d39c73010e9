import CadastreModel
import CadastrePredicate
import CadastreStore

/// Collects the columns that the steps of a plan read, each once, and assigns them slots in a
/// batch.
struct ColumnRequest {
  private let catalogue: Catalogue
  private let root: TableLayout
  /// The object embedded in each row from which paths begin; nil for the row's own object.
  private let embedded: EmbeddedLayout?
  private(set) var columns: [ColumnReference] = []
  private var places: [ColumnReference: Int] = [:]

  init(_ root: TableLayout, _ catalogue: Catalogue, within embedded: EmbeddedLayout? = nil) {
    self.root = root
    self.embedded = embedded
    self.catalogue = catalogue
  }

  /// The end of a path, as slots in a batch.
  enum Leaf {
    /// A value or a link.
    case value(Int)
    /// The presence column of an embedded object.
    case presence(Int)
    /// An embedded point.
    case point(Point)
    /// The type of an embedded point.
    case pointType(Point)
    /// The coordinates of an embedded point.
    case pointCoordinates(Point)
    /// A collection in a table of its own.
    case collection(CollectionSlots)
  }

  /// The slots of a collection.
  struct CollectionSlots {
    var layout: CollectionLayout
    /// The slot with the key of the owner's row; nil where the batch's rows are the owners.
    var owner: Int?
    /// The slot with the number of elements; null behind a null link.
    var count: Int
  }

  /// An embedded point; its columns are read when their slots are requested.
  struct Point {
    /// The column that is null where there is no point; nil where the batch's rows are the points.
    fileprivate var presence: ColumnReference?
    fileprivate var columns: PointColumns
    /// The links to the row with the columns, and the table of that row.
    fileprivate var hops: [ColumnReference.Hop]
    fileprivate var layout: TableLayout
  }

  /// The slots of the columns of an embedded point's position, which are null where there is no point.
  struct PositionSlots {
    var longitude: Int
    var latitude: Int
  }

  /// The slots of all columns of an embedded point.
  struct PointSlots {
    /// The column that is null where there is no point; nil where the batch's rows are the points.
    var presence: Int?
    var longitude: Int
    var latitude: Int
    var altitude: Int
    var odd: Int
  }

  /// The end of a path, and the slots of the columns that are null where a link or an embedded
  /// object on the path is null.
  mutating func leaf(
    _ properties: some Collection<BoundProperty>
  ) throws(StoreError) -> (leaf: Leaf, linkColumns: [Int]) {
    var hops: [ColumnReference.Hop] = []
    var layout = root
    var fields = embedded?.fields ?? root.fields
    var point: Point? = ownPoint
    var owner: Int?
    var linkColumns: [Int] = []
    for (step, property) in properties.enumerated() {
      guard let index = property.index else { break }
      let isLast = step == properties.count - 1
      switch fields[index] {
      case .scalar(let column):
        return (.value(place(hops, column, layout)), linkColumns)
      case .link(let column):
        let linkPlace = place(hops, column, layout)
        if isLast { return (.value(linkPlace), linkColumns) }
        let next = try target(of: property)
        linkColumns.append(linkPlace)
        hops.append(ColumnReference.Hop(column: column, target: next.schema.className))
        (layout, fields, point) = (next, next.fields, nil)
        owner = linkPlace
      case .owned(let column):
        let presence = Self.reference(hops, column, layout)
        let next = try target(of: property)
        hops.append(ColumnReference.Hop(column: column, target: next.schema.className))
        point = next.point.map {
          Point(presence: presence, columns: $0, hops: hops, layout: next)
        }
        if isLast { return (point.map(Leaf.point) ?? .presence(place(presence)), linkColumns) }
        let presencePlace = place(presence)
        linkColumns.append(presencePlace)
        (layout, fields) = (next, next.fields)
        owner = presencePlace
      case .collection(let collection):
        let count = place(hops, collection.countColumn, layout)
        return (
          .collection(CollectionSlots(layout: collection, owner: owner, count: count)), linkColumns
        )
      case .embedded(let embedded):
        let presence = Self.reference(hops, embedded.presence, layout)
        point = embedded.point.map {
          Point(presence: presence, columns: $0, hops: hops, layout: layout)
        }
        if isLast { return (point.map(Leaf.point) ?? .presence(place(presence)), linkColumns) }
        linkColumns.append(place(presence))
        fields = embedded.fields
      case .pointType:
        if let point { return (.pointType(point), linkColumns) }
      case .pointCoordinates:
        if let point { return (.pointCoordinates(point), linkColumns) }
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

  /// The rows' own point, where the rows are points.
  var ownPoint: Point? {
    let columns = embedded.map(\.point) ?? root.point
    let presence = embedded.map { Self.reference([], $0.presence, root) }
    return columns.map { Point(presence: presence, columns: $0, hops: [], layout: root) }
  }

  /// The slots of the columns of a point's position.
  mutating func position(of point: Point) -> PositionSlots {
    PositionSlots(
      longitude: place(point.hops, point.columns.longitude, point.layout),
      latitude: place(point.hops, point.columns.latitude, point.layout))
  }

  /// The slot of the column that is null where there is no point; nil where the batch's rows are the points.
  mutating func presence(of point: Point) -> Int? {
    point.presence.map { place($0) }
  }

  /// The slots of all columns of a point.
  mutating func slots(of point: Point) -> PointSlots {
    let position = position(of: point)
    return PointSlots(
      presence: presence(of: point), longitude: position.longitude, latitude: position.latitude,
      altitude: place(point.hops, point.columns.altitude, point.layout),
      odd: place(point.hops, point.columns.odd, point.layout))
  }

  private static func reference(
    _ hops: [ColumnReference.Hop], _ column: Int, _ layout: TableLayout
  ) -> ColumnReference {
    ColumnReference(hops: hops, column: column, type: layout.columns[column].type)
  }

  private mutating func place(
    _ hops: [ColumnReference.Hop], _ column: Int, _ layout: TableLayout
  ) -> Int {
    place(Self.reference(hops, column, layout))
  }

  private mutating func place(_ reference: ColumnReference) -> Int {
    if let known = places[reference] { return known }
    columns.append(reference)
    places[reference] = columns.count - 1
    return columns.count - 1
  }
}
