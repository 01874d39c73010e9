import CadastreModel

/// The properties of one side of a comparison that is not a constant.
struct Comparand {
  /// The type of its values.
  var type: PropertyType
  /// The class of its objects, if they are objects.
  var className: String?
  /// Whether its objects are embedded, so that no two properties hold the same one.
  var isEmbedded = false
  /// Whether it may be null.
  var isNullable = true
  /// Whether it may be any number of values.
  var isToMany = false
  /// Whether its values are the names of types.
  var isTypeName = false
  /// Whether a quantifier was written, or a step that makes one needless.
  var isQuantified = true
  /// Whether it is a list or set as a whole, which may be compared with a list of constants.
  var isWholeCollection = false
  /// The name in messages.
  var name: String
  /// The type as a message calls it.
  var typeDescription: String
  /// The location in the text.
  var span: TextSpan?

  /// The end of a path.
  init(_ path: BoundPath) {
    let entered = path.entered
    switch entered.end {
    case .object(let target):
      type = .object
      className = target.className
      isEmbedded = target.isEmbedded
    case .value(let type): self.type = type
    case .collection(let property, _): type = property.type
    }
    isNullable = entered.isNullable
    isToMany = entered.isToMany
    name = "property '\(path)'"
    typeDescription = className ?? type.description
    if case .collection(let property, _) = path.end {
      typeDescription = property.typeDescription
      isWholeCollection = !path.isToMany && type != .object && !property.isMap
    }
    if case .type? = path.hops.last { isTypeName = true }
    span = path.path.span
  }

  /// A computed number.
  init(type: PropertyType, name: String, isToMany: Bool = false, span: TextSpan?) {
    self.type = type
    self.name = name
    self.isToMany = isToMany
    self.span = span
    typeDescription = type.description
  }

  /// Whether strings or data may stand here.
  var isText: Bool { type == .string || type == .data || type == .any }
}
