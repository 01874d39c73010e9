import CadastreModel

/// The properties of one side of a comparison that is not a constant.
struct Comparand {
  /// The type of its values.
  var type: PropertyType
  /// Whether it may be null.
  var isNullable = true
  /// Whether it may be any number of values.
  var isToMany = false
  /// Whether its values are the names of types.
  var isTypeName = false
  /// Whether a quantifier was written, or a step that makes one needless.
  var isQuantified = true
  /// Whether it is a list or set as a whole, which may be compared with a list of constants or objects.
  var isWholeCollection = false
  /// The location in the text.
  let span: TextSpan?
  private let source: Source

  private enum Source {
    case path(BoundPath)
    case computed(name: String)
  }

  /// The end of a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - span: The location of the path in the text.
  init(_ path: BoundPath, span: TextSpan?) {
    let entered = path.entered
    switch entered.end {
    case .object: type = .object
    case .value(let type): self.type = type
    case .collection(let property, _): type = property.type
    }
    isNullable = entered.isNullable
    isToMany = entered.isToMany
    if case .collection(let property, _) = path.end {
      isWholeCollection = !path.isToMany && property.type != .linkingObjects && !property.isMap
    }
    if case .type? = path.hops.last { isTypeName = true }
    self.span = span
    source = .path(path)
  }

  /// A computed number.
  init(type: PropertyType, name: String, isToMany: Bool = false, span: TextSpan?) {
    self.type = type
    self.isToMany = isToMany
    self.span = span
    source = .computed(name: name)
  }

  /// The class of its objects; nil where it is none of objects.
  private var target: ObjectSchema? {
    guard case .path(let path) = source, case .object(let target) = path.entered.end else {
      return nil
    }
    return target
  }

  /// The name of the class of its objects, if they are objects.
  var className: String? { target?.className }

  /// Whether its objects are embedded, so that no two properties hold the same one.
  var isEmbedded: Bool { target?.isEmbedded == true }

  /// The name in messages.
  var name: String {
    switch source {
    case .path(let path): "property '\(path)'"
    case .computed(let name): name
    }
  }

  /// The type as a message calls it.
  var typeDescription: String {
    if case .path(let path) = source, case .collection(let property, _) = path.end {
      return property.typeDescription
    }
    return className ?? type.description
  }

  /// Whether strings or data may stand here.
  var isText: Bool { type == .string || type == .data || type == .any }
}
