import CadastreDatasets
import CadastreEngine
import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreStore

/// One version of the store as a request sees it: with the visible classes, and until the request is cancelled.
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

  /// The classes that can be queried.
  var classes: [ObjectSchema] { schema.objectSchema.filter { !$0.isEmbedded } }

  /// A session that runs queries on the version; it knows hidden fields too.
  var session: QuerySession { QuerySession(snapshot) }

  /// Returns a class that can be queried.
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
    var query = try StoreQuery(
      snapshot, className: selection.className, predicate: selection.predicate,
      arguments: selection.arguments, regions: selection.box.map { [.box($0)] } ?? [],
      order: selection.order, limit: limit, edges: .spherical, scope: scope)
    query.progress = { [connection = snapshot.connection] _ in try connection.checkCancellation() }
    return query
  }

  /// Ends a request that was cancelled.
  ///
  /// - Throws: `StoreError` where it was.
  func checkCancellation() throws(StoreError) { try snapshot.connection.checkCancellation() }
}

/// The classes and fields of a store that a server shows.
///
/// A hidden class or field is unknown in every request: in lists, predicates, tiles, downloads and messages.
///
///     options.visibility = .hiding(classes: ["Account"], fields: ["Place.notes"])
public struct Visibility: Sendable {
  /// Everything is visible.
  public static let everything = Visibility(nil)

  private let isVisible: (@Sendable (_ className: String, _ field: String?) -> Bool)?

  private init(_ isVisible: (@Sendable (_ className: String, _ field: String?) -> Bool)?) {
    self.isVisible = isVisible
  }

  /// Decides by a closure, which is called with a class, and with each field of a visible class.
  ///
  /// - Parameter isVisible: Whether a class, or one of its fields, is visible; the field is nil for the class.
  public init(
    where isVisible: @escaping @Sendable (_ className: String, _ field: String?) -> Bool
  ) {
    self.isVisible = isVisible
  }

  /// Hides some classes and fields.
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

  /// Returns the visible part of a schema; fields whose class is hidden are left out.
  func schema(_ schema: Schema) -> Schema {
    guard let isVisible else { return schema }
    let classes = schema.objectSchema.filter { isVisible($0.className, nil) }
    let names = Set(classes.map(\.className))
    return Schema(
      classes.map { root in
        // The members of a point are its coordinates.
        guard !root.isPointShaped else { return root }
        let properties = root.properties.filter { property in
          isVisible(root.className, property.name)
            && property.objectClassName.map(names.contains) ?? true
        }
        return ObjectSchema(
          className: root.className, properties: properties, isEmbedded: root.isEmbedded)
      })
  }
}
