import CadastreModel
import CadastrePredicate

/// The SQL of the value at the end of a path.
struct SQLOperand {
  /// The kind of a value.
  enum Kind: Equatable {
    /// A single value.
    case value(PropertyType)
    /// A link, as the key of the target row.
    case link(className: String)
    /// An embedded object: true or null.
    case embedded
    /// The coordinates of a point as an array.
    case coordinates
  }

  /// The kind of the value.
  let kind: Kind
  /// The expression; a row of two columns for a date.
  var text: String
  /// The condition that a link or embedded object on the path is null; nil for a path without links and embedded
  /// objects.
  let isBehindNull: String?
  /// The columns of the location of an embedded point; nil for others.
  let location: Location?

  /// The columns of a location.
  struct Location {
    let longitude: String
    let latitude: String
    let geography: String
    /// The column of the grid cell, in a table that is partitioned by cells, and its name without the alias.
    let cell: (text: String, name: String)
    /// The key of the row.
    let key: String
    /// The class of the row.
    let owner: String
    /// The names of the columns without the alias.
    let names: (longitude: String, latitude: String, geography: String)
  }
}

/// The SQL of a prefix of a path.
indirect enum SQLNode {
  /// An object: the row of a class, or the columns of an embedded object in a row.
  case object(AliasedRow)
  /// An embedded object in the columns of a row, and its presence column.
  case embedded(AliasedRow, column: String, isPoint: Bool)
  /// A link, as the key of the target row.
  case link(String, className: String)
  /// A single value.
  case value(PropertyType, String)
  /// The coordinates of a point as an array.
  case coordinates(String)
  /// A list, set or map as an array, and the name of its column.
  case collection(AliasedRow, Property, String)
  /// The objects with links to a row.
  case backlinks(AliasedRow, Property)
}

/// A row of a class in the statement.
struct AliasedRow {
  /// The alias of the table.
  let alias: String
  /// The class.
  let owner: String
  /// The prefix of the column names; empty for the object of the row itself.
  var prefix = ""
  /// Whether the object is an embedded point.
  var isPoint = false

  /// Returns the column of a property.
  func column(_ property: Property) -> String {
    SQLTranslator.column(alias, prefix + property.columnName)
  }

  /// The key of the row.
  var key: String { SQLTranslator.column(alias, ColumnNaming.key) }
}

extension SQLTranslator {
  /// Returns the SQL of the value at the end of a path; links on the path are joined.
  ///
  /// - Throws: ``UntranslatablePart`` for paths to several values.
  mutating func operand(_ path: BoundPath) throws(UntranslatablePart) -> SQLOperand {
    try operand(
      path.hops[...], from: .object(AliasedRow(alias: scope, owner: path.root.className)), path)
  }

  /// Returns the SQL of the value at the end of a part of a path.
  mutating func operand(
    _ hops: ArraySlice<BoundPath.Hop>, from start: SQLNode, _ path: BoundPath
  ) throws(UntranslatablePart) -> SQLOperand {
    let (node, isBehindNull) = try follow(hops, from: start, path)
    func operand(
      _ kind: SQLOperand.Kind, _ text: String, _ location: SQLOperand.Location? = nil
    ) -> SQLOperand {
      SQLOperand(kind: kind, text: text, isBehindNull: isBehindNull, location: location)
    }
    switch node {
    case .value(let type, let text): return operand(.value(type), text)
    case .link(let text, let className): return operand(.link(className: className), text)
    case .coordinates(let text): return operand(.coordinates, text)
    case .object(let row): return operand(.link(className: row.owner), row.key)
    case .embedded(let row, let column, let isPoint):
      return operand(.embedded, column, isPoint ? Self.location(row) : nil)
    case .collection, .backlinks:
      throw refused(path, "a whole collection is not compared")
    }
  }

  private static func location(_ row: AliasedRow) -> SQLOperand.Location {
    let name = String(row.prefix.dropLast())
    let names = (
      longitude: ColumnNaming.longitude(name), latitude: ColumnNaming.latitude(name),
      geography: ColumnNaming.geography(name)
    )
    return SQLOperand.Location(
      longitude: column(row.alias, names.longitude), latitude: column(row.alias, names.latitude),
      geography: column(row.alias, names.geography),
      cell: (column(row.alias, ColumnNaming.cell(name)), ColumnNaming.cell(name)), key: row.key,
      owner: row.owner, names: names)
  }

  /// Returns the node at the end of a part of a path, and the condition that a part of the path is null.
  mutating func follow(
    _ hops: ArraySlice<BoundPath.Hop>, from start: SQLNode, _ path: BoundPath
  ) throws(UntranslatablePart) -> (node: SQLNode, isBehindNull: String?) {
    var node = start
    var isBehindNull: String?
    for hop in hops {
      switch (hop, node) {
      case (.property(let bound), .object(let row)): node = try property(bound, of: row, path)
      case (.property(let bound), .embedded(let row, let column, _)):
        isBehindNull = "\(column) IS NULL"
        node = try property(bound, of: row, path)
      case (.property(let bound), .link(let text, let className)):
        let row = AliasedRow(alias: try join(to: className, on: text), owner: className)
        isBehindNull = "\(row.key) IS NULL"
        node = try property(bound, of: row, path)
      case (.entry(let key), .collection(let row, let property, let column)):
        let index = "array_position(\(Self.column(row.alias, ColumnNaming.mapKeys(column))), "
        node = try element(
          of: property, "(\(Self.column(row.alias, column)))[\(index)\(parameter(.text(key))))]",
          path)
        if case .link(let text, let className) = node {
          let target = AliasedRow(alias: newAlias(), owner: className)
          let table = try table(className).quotedName
          node = .link(
            "(SELECT \(target.key) FROM \(table) \(target.alias) WHERE \(target.key) = \(text))",
            className: className)
        }
      case (.count(false), .collection(let row, let property, let column)):
        var array = Self.column(row.alias, column)
        if property.type == .object, property.collection != .map,
          let className = property.objectClassName
        {
          array = try existing(array, className)
        }
        node = .value(.int, "coalesce(cardinality(\(array)), 0)")
      case (.count(false), .coordinates(let text)):
        node = .value(.int, "coalesce(cardinality(\(text)), 0)")
      case (.count(false), .backlinks(let row, let property)):
        node = .value(.int, try backlinkCount(row, property, path))
      case (.count(true), .link(let text, _)), (.count(true), .embedded(_, let text, _)):
        node = .value(.int, "(CASE WHEN \(text) IS NULL THEN 0 ELSE 1 END)")
      case (.type(let type?), _): node = .value(.string, parameter(.text(TypeName.of(type))))
      case (.count(false), .value(.string, let text)):
        node = .value(.int, "octet_length(\(text))")
      case (.count(false), .value(.data, let text)): node = .value(.int, "length(\(text))")
      case (.length, .value(.string, let text)):
        node = .value(.int, "coalesce(octet_length(\(text)), 0)")
      case (.length, .value(.data, let text)):
        node = .value(.int, "coalesce(length(\(text)), 0)")
      default: throw refused(path, "a part of it is not translated yet")
      }
    }
    return (node, isBehindNull)
  }

  /// Returns the node of an element of a collection from the expression of the element.
  func element(
    of property: Property, _ text: String, _ path: BoundPath
  ) throws(UntranslatablePart) -> SQLNode {
    guard property.type == .object else { return .value(property.type, text) }
    guard let className = property.objectClassName else {
      throw refused(path, "\"\(property.name)\" has no column")
    }
    return .link(text, className: className)
  }

  private func property(
    _ bound: BoundProperty, of row: AliasedRow, _ path: BoundPath
  ) throws(UntranslatablePart) -> SQLNode {
    let property = bound.property
    let column = row.column(property)
    if row.isPoint, property.name == ObjectSchema.pointCoordinatesName {
      return .coordinates(column)
    }
    if property.type == .linkingObjects {
      guard !bound.target.contains(.embedded) else {
        throw refused(path, "linking objects that are embedded in others are not translated")
      }
      return .backlinks(row, property)
    }
    if property.collection != nil {
      return .collection(row, property, row.prefix + property.columnName)
    }
    switch property.type {
    case .object where bound.target.contains(.inline):
      var inner = row
      inner.prefix += property.columnName + "."
      inner.isPoint = bound.target.contains(.point)
      return .embedded(inner, column: column, isPoint: inner.isPoint)
    case .object:
      guard let className = property.objectClassName, !bound.target.contains(.embedded) else {
        throw refused(path, "\"\(property.name)\" has no column")
      }
      return .link(column, className: className)
    case .date:
      let nanoseconds = ColumnNaming.nanoseconds(row.prefix + property.columnName)
      return .value(.date, "(\(column), \(Self.column(row.alias, nanoseconds)))")
    default:
      guard PostgresType(property.type) != nil else {
        throw refused(path, "a value of type \(property.type) has no column")
      }
      return .value(property.type, column)
    }
  }

  static func column(_ alias: String, _ name: String) -> String {
    "\(alias).\(SQLStatement.quoted(name))"
  }

  func refused(_ part: some CustomStringConvertible, _ reason: String) -> UntranslatablePart {
    UntranslatablePart(part: "\(part)", reason: reason)
  }
}
