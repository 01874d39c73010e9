import CadastreModel

/// What the binder knows of one side of a comparison that is no constant.
struct Comparand {
  /// The type of its values.
  var type: PropertyType
  /// The class of its objects, if they are objects.
  var target: ObjectSchema?
  /// Whether it may be null.
  var isNullable = true
  /// Whether it may be any number of values.
  var isToMany = false
  /// Whether its values are the names of types.
  var isTypeName = false
  /// Whether a quantifier was written, or a step that makes one needless.
  var isQuantified = true
  /// The list or set that it is as a whole, and may be compared with several constants as such.
  var wholeCollection: Property?
  /// What a message calls it.
  var name: String
  /// The type as a message calls it.
  var typeDescription: String
  /// Where it stands in the text.
  var span: TextSpan?

  /// What stands at the end of a route.
  init(_ route: PathRoute, _ schema: Schema) {
    let entered = route.entered
    switch entered.end {
    case .object(let target):
      type = .object
      self.target = target
    case .value(let type): self.type = type
    case .collection(let property, _): type = property.type
    }
    isNullable = entered.isNullable
    isToMany = entered.isToMany
    name = "property '\(route.path)'"
    typeDescription = target?.className ?? type.description
    if case .collection(let property, _) = route.end {
      typeDescription = property.typeDescription
      if !route.isToMany, type != .object, !property.isMap { wholeCollection = property }
    }
    if case .type? = route.hops.last { isTypeName = true }
    span = route.path.span
  }

  /// A number that is worked out.
  init(type: PropertyType, name: String, isToMany: Bool = false, span: TextSpan?) {
    self.type = type
    self.name = name
    self.isToMany = isToMany
    self.span = span
    typeDescription = type.description
  }

  /// Whether strings or data may stand here.
  var isText: Bool { type == .string || type == .data || type == .any }

  /// Whether the objects are embedded, and so have no identity to compare.
  var isEmbedded: Bool { target?.isEmbedded == true }
}
