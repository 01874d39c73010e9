public import Cadastre
public import CadastreGeometry
import CadastreModel
import CadastreStore

extension PostgresResults {
  /// Returns the values of the objects by the names of their properties; without links.
  ///
  ///     for try await place in places.dictionaries() { print(place["name"] ?? nil) }
  ///
  /// Values have the types of the properties; collections are arrays and dictionaries, and embedded
  /// objects are dictionaries.
  public func dictionaries() -> PostgresValues<Element, [String: Any?]> {
    PostgresValues(self) { DetachedObjects.dictionary($0, $1) }
  }

  /// Returns values of a type that is decoded from the properties of its names.
  ///
  ///     struct Name: Decodable { let code: String, depth: Int? }
  ///     for try await name in ports.values(as: Name.self) { print(name.code) }
  ///
  /// - Parameter type: The type.
  /// - Returns: The values; reading one throws `DecodingError` where a property is missing or has
  ///   another type.
  public func values<Output: Decodable & SendableMetatype>(
    as type: Output.Type
  ) -> PostgresValues<Element, Output> {
    PostgresValues(self) { row, layout in
      try Output(from: ValueDecoder(DetachedObjects.dictionary(row, layout)))
    }
  }

  /// Returns the objects with their distances from a point, in the order of the results.
  ///
  /// - Parameters:
  ///   - point: The point from which distances are measured, along the sphere.
  ///   - keyPath: The embedded object of the GeoJSON point shape, or the geometry.
  /// - Returns: A distance for each object; nil for an object without a location.
  public func withDistances<Place: GeometryProperty>(
    from point: GeoPoint, of keyPath: KeyPath<Element, Place>
  ) -> PostgresValues<Element, (object: Element, distance: Distance?)> {
    let name = DetachedObjects.path(of: keyPath).description
    let pool = store.pool
    return PostgresValues(self) { row, layout in
      let object = try DetachedObjects.object(Element.self, row, layout, from: pool)
      return (object, Self.distance(from: point, to: name, row, layout))
    }
  }

  private static func distance(
    from origin: GeoPoint, to name: String, _ row: ImportRow, _ layout: TableLayout
  ) -> Distance? {
    guard let index = layout.schema.index(of: name) else { return nil }
    switch layout.fields[index] {
    case .embedded(let embedded):
      guard !row.values[embedded.presence].isNull, let point = embedded.point else { return nil }
      let content = point.content(row.values)
      return PointShape.location(type: content.type, coordinates: content.coordinates).flatMap {
        GeoPoint(latitude: $0.latitude, longitude: $0.longitude)
      }.map { origin.distance(to: $0) }
    case .scalar(let column):
      guard case .geometry(let geometry) = row.values[column] else { return nil }
      return geometry.distance(to: Geometry(origin))
    default: return nil
    }
  }
}

/// Values made of the rows of results, in their order, read like the objects.
public struct PostgresValues<Element: Object, Output>: AsyncSequence, Sendable {
  private let results: PostgresResults<Element>
  private let make: @Sendable (ImportRow, TableLayout) throws -> Output

  init(
    _ results: PostgresResults<Element>,
    _ make: @escaping @Sendable (ImportRow, TableLayout) throws -> Output
  ) {
    (self.results, self.make) = (results, make)
  }

  /// Reads the values in the order of the results.
  public func makeAsyncIterator() -> Iterator { Iterator(rows: RowIterator(results), make: make) }

  /// An iterator that reads values through a cursor of the server.
  public struct Iterator: AsyncIteratorProtocol {
    private var rows: RowIterator<Element>
    private let make: @Sendable (ImportRow, TableLayout) throws -> Output
    private var outputs: ArraySlice<Output> = []

    fileprivate init(
      rows: RowIterator<Element>,
      make: @escaping @Sendable (ImportRow, TableLayout) throws -> Output
    ) {
      (self.rows, self.make) = (rows, make)
    }

    /// Returns the next value; nil at the end.
    ///
    /// - Throws: The errors of ``PostgresResults/Iterator/next()``, or `DecodingError`.
    public mutating func next() async throws -> Output? {
      if outputs.isEmpty, let (batch, cursor) = try await rows.batch() {
        outputs = try batch.map { try make($0, cursor.layout) }[...]
      }
      return outputs.popFirst()
    }
  }
}
