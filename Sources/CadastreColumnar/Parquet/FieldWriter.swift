import CadastreModel

/// The writer of a field, which shreds values into the entries of leaves.
///
/// Source: Melnik and others, "Dremel: Interactive Analysis of Web-Scale Datasets", VLDB 2010.
indirect enum FieldWriter {
  case leaf(LeafWriter, LeafForm, isOptional: Bool)
  case group([FieldWriter], isOptional: Bool)
  /// A list; its second and later elements have the repetition level.
  case list(FieldWriter, repetition: Int, isOptional: Bool)
  /// A map; its second and later entries have the repetition level.
  case map(key: FieldWriter, value: FieldWriter, repetition: Int, isOptional: Bool)

  /// Creates the writer of a field and its leaves.
  init(
    _ name: String, _ type: ColumnarType, isOptional: Bool,
    dates: DateForm = .microseconds, _ parent: SchemaPosition, _ leaves: inout [LeafWriter]
  ) {
    var position = parent
    position.path.append(name)
    if isOptional { position.definition += 1 }
    switch type {
    case .scalar(let type):
      let form = LeafForm(type, dates)
      let leaf = LeafWriter(
        position.path, form.physical, definition: position.definition,
        repetition: position.repetition)
      leaves.append(leaf)
      self = .leaf(leaf, form, isOptional: isOptional)
    case .nothing:
      self.init(name, .scalar(.string), isOptional: true, parent, &leaves)
    case .record(let fields):
      self = .group(
        fields.map {
          FieldWriter(
            $0.name, $0.type, isOptional: $0.isOptional, dates: $0.dates, position, &leaves)
        }, isOptional: isOptional)
    case .list(let element, let hasNulls):
      position.enterRepeated("list")
      self = .list(
        FieldWriter("element", element, isOptional: hasNulls, position, &leaves),
        repetition: position.repetition, isOptional: isOptional)
    case .map(let key, let value, let hasNulls):
      position.enterRepeated("key_value")
      self = .map(
        key: FieldWriter("key", key, isOptional: false, position, &leaves),
        value: FieldWriter("value", value, isOptional: hasNulls, position, &leaves),
        repetition: position.repetition, isOptional: isOptional)
    }
  }

  /// Appends a value to the leaves.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - repetition: The repetition level of its first entry.
  ///   - definition: The definition level of the parent.
  /// - Throws: ``ColumnarError`` if the value has another type than the field.
  func append(
    _ value: ColumnarValue, repetition: Int, definition: Int
  ) throws(ColumnarError) {
    if value.isNull {
      guard isOptional else { throw ColumnarError(.notWritable("a required value is null")) }
      return appendNull(repetition, definition)
    }
    let definition = definition + (isOptional ? 1 : 0)
    switch (self, value) {
    case (.leaf(let leaf, let form, _), .value(let value)):
      guard leaf.append(value, form, repetition: repetition) else {
        throw ColumnarError(
          .notWritable("a value has another type"), part: leaf.path.joined(separator: "."))
      }
    case (.group(let fields, _), .record(let values)) where fields.count == values.count:
      for (field, value) in zip(fields, values) {
        try field.append(value, repetition: repetition, definition: definition)
      }
    case (.list(let element, let level, _), .list(let values)):
      guard !values.isEmpty else { return element.appendNull(repetition, definition) }
      for (index, value) in values.enumerated() {
        try element.append(
          value, repetition: index == 0 ? repetition : level, definition: definition + 1)
      }
    case (.map(let key, let element, let level, _), .map(let entries)):
      guard !entries.isEmpty else {
        key.appendNull(repetition, definition)
        return element.appendNull(repetition, definition)
      }
      for (index, entry) in entries.enumerated() {
        let repetition = index == 0 ? repetition : level
        try key.append(entry.key, repetition: repetition, definition: definition + 1)
        try element.append(entry.value, repetition: repetition, definition: definition + 1)
      }
    default: throw ColumnarError(.notWritable("a value has another type than its column"))
    }
  }

  private var isOptional: Bool {
    switch self {
    case .leaf(_, _, let isOptional), .group(_, let isOptional), .list(_, _, let isOptional),
      .map(_, _, _, let isOptional):
      isOptional
    }
  }

  /// Appends an entry without a value to every leaf.
  private func appendNull(_ repetition: Int, _ definition: Int) {
    switch self {
    case .leaf(let leaf, _, _): leaf.appendNull(repetition: repetition, definition: definition)
    case .group(let fields, _): for field in fields { field.appendNull(repetition, definition) }
    case .list(let element, _, _): element.appendNull(repetition, definition)
    case .map(let key, let value, _, _):
      key.appendNull(repetition, definition)
      value.appendNull(repetition, definition)
    }
  }
}

extension LeafWriter {
  /// Appends a value; returns false if it has another type.
  fileprivate func append(_ value: Value, _ form: LeafForm, repetition: Int) -> Bool {
    switch (value, type) {
    case (.bool(let value), .boolean): append(value ? 1 : 0, repetition: repetition)
    case (.int(let value), .int64): append(UInt64(bitPattern: value), repetition: repetition)
    case (.date(let value), .int64), (.date(let value), .int32):
      if form.rounds(value) { roundedCount += 1 }
      append(UInt64(bitPattern: form.number(value)), repetition: repetition)
    case (.float(let value), .float): append(UInt64(value.bitPattern), repetition: repetition)
    case (.double(let value), .double): append(value.bitPattern, repetition: repetition)
    case (.string(let value), .byteArray): append(value.utf8, repetition: repetition)
    case (.data(let value), .byteArray): append(value, repetition: repetition)
    case (.uuid(let value), .fixedBytes): append(value.bytes, repetition: repetition)
    default: return false
    }
    return true
  }
}
