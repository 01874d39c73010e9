import CadastreModel

/// The elements of the schema of a file, in depth-first order.
struct SchemaWriter {
  typealias Element = (inout ThriftWriter) -> Void

  private(set) var elements: [Element] = []

  /// Creates the schema of columns and of the geometry.
  init(_ fields: [ColumnarField], _ geometry: GeometryWriter?) {
    let extra = geometry?.fields ?? []
    let count = fields.count + extra.count
    elements.append { element in
      element.string(4, "schema")
      element.int32(5, count)
    }
    for field in fields + extra { append(field) }
  }

  private mutating func append(_ field: ColumnarField) {
    append(field.name, field.type, isOptional: field.isOptional, field.dates)
  }

  private mutating func append(
    _ name: String, _ type: ColumnarType, isOptional: Bool,
    _ dates: DateForm = .microseconds
  ) {
    let repetition = isOptional ? 1 : 0
    switch type {
    case .nothing: append(name, .scalar(.string), isOptional: true)
    case .scalar(let type):
      let form = LeafForm(type, dates)
      elements.append { element in
        element.int32(1, form.physical.rawValue)
        if form == .uuid { element.int32(2, 16) }
        element.int32(3, repetition)
        element.string(4, name)
        form.writeAnnotation(&element)
      }
    case .record(let fields):
      appendGroup(name, repetition, children: fields.count)
      for field in fields { append(field) }
    case .list(let element, let hasNulls):
      appendGroup(name, repetition, children: 1, converted: 3, logical: 3)
      appendGroup("list", 2, children: 1)
      append("element", element, isOptional: hasNulls)
    case .map(let key, let value, let hasNulls):
      appendGroup(name, repetition, children: 1, converted: 1, logical: 2)
      appendGroup("key_value", 2, children: 2)
      append("key", key, isOptional: false)
      append("value", value, isOptional: hasNulls)
    }
  }

  private mutating func appendGroup(
    _ name: String, _ repetition: Int, children: Int, converted: Int? = nil, logical: Int? = nil
  ) {
    elements.append { element in
      element.int32(3, repetition)
      element.string(4, name)
      element.int32(5, children)
      if let converted { element.int32(6, converted) }
      if let logical { element.structure(10) { $0.structure(logical) { _ in } } }
    }
  }
}
