import CadastreModel
import CadastrePredicate
import CadastreStore

/// The adapter of a row that is not stored for the reference evaluator.
struct RowSubject: PredicateSubject {
  let identity = Value.bool(true)
  private let row: ImportRow
  private let schema: ObjectSchema
  private let fields: [FieldLayout]
  private let point: PointColumns?

  init(_ row: ImportRow, _ layout: TableLayout) {
    self.row = row
    schema = layout.schema
    fields = layout.fields
    point = nil
  }

  private init(_ row: ImportRow, _ embedded: EmbeddedLayout) {
    self.row = row
    schema = embedded.schema
    fields = embedded.fields
    point = embedded.point
  }

  private func field(_ property: Property) -> FieldLayout? {
    schema.index(of: property.name).map { fields[$0] }
  }

  func value(of property: Property) -> Value {
    switch field(property) {
    case .scalar(let column), .link(let column): row.values[column]
    case .pointType: point.map { .string($0.content(row.values).type) } ?? .null
    case .embedded, .owned, .collection, .pointCoordinates, nil: .null
    }
  }

  func object(at property: Property) -> (any PredicateSubject)? {
    guard case .embedded(let embedded) = field(property), !row.values[embedded.presence].isNull
    else {
      return nil
    }
    return RowSubject(row, embedded)
  }

  func elements(of property: Property) -> [Value] {
    guard case .pointCoordinates = field(property), let point else { return [] }
    return point.content(row.values).coordinates.map(Value.double)
  }
}
