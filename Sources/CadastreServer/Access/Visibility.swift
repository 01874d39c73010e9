import CadastreModel

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
