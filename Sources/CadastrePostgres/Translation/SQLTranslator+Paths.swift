import CadastreModel
import CadastrePredicate

/// The SQL of a value at the end of a path.
struct SQLOperand {
  /// What the value is.
  enum Kind: Equatable {
    /// A single value.
    case value(PropertyType)
    /// A link, as the key of the other row.
    case link(className: String)
    /// An embedded object: true or null.
    case embedded
    /// The coordinates of a point as an array.
    case coordinates
  }

  /// What the value is.
  let kind: Kind
  /// The expression; a row of two columns for a date.
  let text: String
  /// The condition that the value lies behind a link or embedded object that is null; nil if it
  /// lies behind none.
  let isBehindNull: String?
  /// The columns of the location of an embedded point; nil for others.
  let location: Location?

  /// The columns of a location.
  struct Location {
    let longitude: String
    let latitude: String
    let geography: String
    /// The key of the row.
    let key: String
    /// The class of the row, and the columns without the alias of its table.
    let owner: String
    let names: (longitude: String, latitude: String, geography: String)
  }
}

extension SQLTranslator {
  /// The SQL of the value at the end of a path; links on the path are joined.
  ///
  /// - Throws: ``UntranslatablePart`` for paths through collections, counts and others.
  mutating func operand(_ path: BoundPath) throws(UntranslatablePart) -> SQLOperand {
    guard let properties = path.properties, let last = properties.last, !path.isToMany else {
      throw refused(path, "only paths through links and embedded objects are translated")
    }
    var alias = Self.rootAlias
    var prefix = ""
    var followed: [String] = []
    var isBehindNull: String?
    var isPoint = false
    var owner = path.root.className
    for bound in properties.dropLast() {
      let name = prefix + bound.property.columnName
      let column = Self.column(alias, name)
      followed.append(bound.property.columnName)
      isPoint = bound.target.contains(.point)
      if bound.target.contains(.inline) {
        prefix = name + "."
        isBehindNull = "\(column) IS NULL"
      } else if bound.property.type == .object, bound.property.collection == nil,
        !bound.target.contains(.embedded), let className = bound.property.objectClassName
      {
        alias = try join(followed, to: className, on: column)
        owner = className
        prefix = ""
        isBehindNull = "\(Self.column(alias, ColumnName.key)) IS NULL"
      } else {
        throw refused(path, "\"\(bound.property.name)\" has no column")
      }
    }
    return try end(
      last, path, alias, prefix + last.property.columnName, isBehindNull: isBehindNull,
      isPoint: isPoint, owner: owner)
  }

  private func end(
    _ bound: BoundProperty, _ path: BoundPath, _ alias: String, _ name: String,
    isBehindNull: String?, isPoint: Bool, owner: String
  ) throws(UntranslatablePart) -> SQLOperand {
    let property = bound.property
    let column = Self.column(alias, name)
    func operand(
      _ kind: SQLOperand.Kind, _ text: String, _ location: SQLOperand.Location? = nil
    ) -> SQLOperand {
      SQLOperand(kind: kind, text: text, isBehindNull: isBehindNull, location: location)
    }
    if isPoint, property.name == ObjectSchema.pointCoordinatesName {
      return operand(.coordinates, column)
    }
    guard property.collection == nil, property.type != .linkingObjects else {
      throw refused(path, "collections are not translated yet")
    }
    switch property.type {
    case .object where bound.target.contains(.inline):
      let names = (
        longitude: ColumnName.longitude(name), latitude: ColumnName.latitude(name),
        geography: ColumnName.geography(name)
      )
      let location = SQLOperand.Location(
        longitude: Self.column(alias, names.longitude),
        latitude: Self.column(alias, names.latitude),
        geography: Self.column(alias, names.geography),
        key: Self.column(alias, ColumnName.key), owner: owner, names: names)
      return operand(.embedded, column, bound.target.contains(.point) ? location : nil)
    case .object:
      guard let className = property.objectClassName, !bound.target.contains(.embedded) else {
        throw refused(path, "\"\(property.name)\" has no column")
      }
      return operand(.link(className: className), column)
    case .date:
      let nanoseconds = Self.column(alias, ColumnName.nanoseconds(name))
      return operand(.value(.date), "(\(column), \(nanoseconds))")
    default:
      guard PostgresType(property.type) != nil else {
        throw refused(path, "a value of type \(property.type) has no column")
      }
      return operand(.value(property.type), column)
    }
  }

  static func column(_ alias: String, _ name: String) -> String {
    "\(alias).\(SQLStatement.quoted(name))"
  }

  func refused(_ part: some CustomStringConvertible, _ reason: String) -> UntranslatablePart {
    UntranslatablePart(part: "\(part)", reason: reason)
  }
}
