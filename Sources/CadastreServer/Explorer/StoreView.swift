import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreSQLite
import CadastreStore

/// A version of the store for a request, with the visible classes and the cancellation of the request.
struct StoreView {
  let snapshot: Snapshot
  /// The visible classes and fields.
  let schema: Schema
  private let scope: QueryScope

  init(_ snapshot: Snapshot, _ visibility: Visibility) {
    self.snapshot = snapshot
    schema = visibility.schema(snapshot.catalogue.schema)
    scope = QueryScope(schema: visibility.isLimited ? schema : nil, namesOptions: false)
  }

  /// The number of the version.
  var version: Int64 { snapshot.version }

  /// The queryable classes.
  var classes: [ObjectSchema] { schema.objectSchema.filter { !$0.isEmbedded } }

  /// A session that runs queries on the version, including hidden fields.
  var session: QuerySession { QuerySession(snapshot) }

  /// Returns a queryable class.
  func queriedClass(_ name: String) throws(RequestError) -> ObjectSchema {
    guard let root = schema[name], !root.isEmbedded else {
      throw .notFound("there is no class '\(name)'")
    }
    return root
  }

  /// Returns the query of a selection.
  ///
  /// - Throws: ``QueryPredicateError`` or `StoreError`; ``RequestError`` for an unknown class.
  func query(_ selection: Selection, limit: Int? = nil) throws -> StoreQuery {
    _ = try queriedClass(selection.className)
    var query: StoreQuery
    do {
      query = try StoreQuery(
        snapshot, className: selection.className, predicate: selection.predicate,
        conditions: selection.conditions, regions: selection.box.map { [.box($0)] } ?? [],
        order: selection.order, limit: limit, edges: .spherical, scope: scope)
    } catch let error as QueryPredicateError {
      guard error.text == nil, let filter = selection.filter else { throw error }
      throw error.found(in: filter)
    }
    query.progress = { [connection = snapshot.connection] _ in try connection.checkCancellation() }
    return query
  }

  /// Checks for a cancellation of the request.
  ///
  /// - Throws: `StoreError` if the request was cancelled.
  func checkCancellation() throws(StoreError) { try snapshot.connection.checkCancellation() }
}

/// The classes and fields of a store that a server shows.
///
/// Requests treat hidden classes and fields as missing: in lists, predicates, tiles, downloads and messages.
///
///     options.visibility = .hiding(classes: ["Account"], fields: ["Place.notes"])
public struct Visibility: Sendable {
  /// Everything is visible.
  public static let everything = Visibility(nil)

  private let isVisible: (@Sendable (_ className: String, _ field: String?) -> Bool)?

  private init(_ isVisible: (@Sendable (_ className: String, _ field: String?) -> Bool)?) {
    self.isVisible = isVisible
  }

  /// Creates a visibility from a closure, which is called with each class and each field of a visible class.
  ///
  /// - Parameter isVisible: Whether a class, or one of its fields, is visible; the field is nil for the class.
  public init(
    where isVisible: @escaping @Sendable (_ className: String, _ field: String?) -> Bool
  ) {
    self.isVisible = isVisible
  }

  /// Returns a visibility that hides some classes and fields.
  ///
  /// - Parameters:
  ///   - classes: The names of the classes.
  ///   - fields: The fields as `Class.field`.
  /// - Returns: The visibility.
  public static func hiding(classes: Set<String> = [], fields: Set<String> = []) -> Visibility {
    Visibility { className, field in
      field.map { !fields.contains("\(className).\($0)") } ?? !classes.contains(className)
    }
  }

  /// Whether some classes or fields may be hidden.
  var isLimited: Bool { isVisible != nil }

  /// Returns the visible part of a schema, without fields whose target class is hidden.
  func schema(_ schema: Schema) -> Schema {
    guard let isVisible else { return schema }
    let classes = schema.objectSchema.filter { isVisible($0.className, nil) }
    let names = Set(classes.map(\.className))
    return Schema(
      classes.map { root in
        // Hiding members of a point would hide its coordinates.
        guard !root.isPointShaped else { return root }
        let properties = root.properties.filter { property in
          isVisible(root.className, property.name)
            && property.objectClassName.map(names.contains) ?? true
        }
        let hidden = Set(root.properties.map(\.name)).subtracting(properties.map(\.name))
        return ObjectSchema(
          className: root.className, properties: properties, isEmbedded: root.isEmbedded,
          compoundIndexes: root.compoundIndexes.filter { hidden.isDisjoint(with: $0) })
      })
  }
}
