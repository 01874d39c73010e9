import CadastreModel

/// The trigger that synchronises the representations of embedded points: the coordinates, which a pull reads, the
/// longitude and latitude, which queries compare, and the geography.
extension PostgresTable {
  /// The name of the trigger.
  static let pointTrigger = "cadastre_points"

  /// The quoted name of the trigger's function, which is in the schema of the table.
  private var pointFunction: String { quotedName.dropLast() + ".points\"" }

  /// Whether the table has the trigger.
  ///
  /// A table that Citus distributes has no triggers.
  var hasPointTrigger: Bool { !points.isEmpty && partitions?.parts.isEmpty != true }

  /// Whether programs can set the geography of points.
  ///
  /// Partitions inherit a generated geography.
  var hasWritableGeography: Bool { hasPointTrigger && partitions == nil }

  /// The statements that create the trigger after the copy of the rows, and make the geography writable.
  var pointStatements: [SQLStatement] {
    guard hasPointTrigger else { return [] }
    var statements: [String] = []
    if hasWritableGeography {
      statements += points.map {
        "ALTER TABLE \(quotedName) ALTER COLUMN "
          + "\(SQLStatement.quoted(ColumnNaming.geography($0))) DROP EXPRESSION IF EXISTS"
      }
    }
    // An existing function may belong to another role, which could replace its body.
    statements.append("DROP FUNCTION IF EXISTS \(pointFunction)() CASCADE")
    statements.append(
      "CREATE FUNCTION \(pointFunction)() RETURNS trigger LANGUAGE plpgsql "
        + "SET search_path = pg_catalog, pg_temp AS \(SQLStatement.literal(pointBody))")
    statements.append(
      "CREATE TRIGGER \(Self.pointTrigger) BEFORE INSERT OR UPDATE ON \(quotedName) "
        + "FOR EACH ROW EXECUTE FUNCTION \(pointFunction)()")
    return statements.map { SQLStatement($0) }
  }

  /// The statements that drop the functions of the triggers, after the table was dropped.
  var pointRemovals: [SQLStatement] {
    guard hasPointTrigger else { return [] }
    // The functions on other servers are dropped with their schemas.
    let parts = partitions?.parts.indices.filter { partitions?.parts[$0].server == nil } ?? []
    return ([self] + parts.map(part)).map {
      SQLStatement("DROP FUNCTION IF EXISTS \($0.pointFunction)() CASCADE")
    }
  }

  private var pointBody: String {
    let parts = allFields.compactMap { name, field -> String? in
      guard case .point(_, let inner) = field else { return nil }
      return body(of: name, inner)
    }
    return """
      DECLARE
        by_coordinates boolean; by_degrees boolean; by_geography boolean;
        c float8[]; lon float8; lat float8; g \(names.type(.geography));
      BEGIN
      \(parts.joined(separator: "\n"))
        RETURN NEW;
      END
      """
  }

  /// Returns the geography of a point from two expressions.
  ///
  /// Tiny coordinates become 0, because products of them underflow in PostGIS.
  func geography(_ longitude: String, _ latitude: String) -> String {
    let degrees = [longitude, latitude].map { "CASE WHEN abs(\($0)) < 1e-30 THEN 0 ELSE \($0) END" }
    return names.point(degrees[0], degrees[1])
  }

  /// Returns the statements for one point, which derive the other representations from the changed one.
  private func body(of point: String, _ inner: [PostgresField]) -> String {
    let column = PointColumnNames(point, inner)
    let new = column.prefixed("NEW"), old = column.prefixed("OLD")
    func bytes(_ value: String) -> String {
      "\(names.spatial("ST_AsEWKB"))(\(value)::\(names.type(.geometry)))"
    }
    func part(_ function: String) -> String {
      "\(names.spatial(function))(\(new.geography)::\(names.type(.geometry)))"
    }
    let message = SQLStatement.literal(
      "the point '\(point)' has contradictory values: change its coordinates, its longitude and latitude, "
        + "or its geography, not several of them to different points")
    let isWritable = hasWritableGeography
    var lines = [
      "IF TG_OP = 'INSERT' THEN",
      "  by_coordinates := \(new.coordinates) IS NOT NULL;",
      "  by_degrees := \(new.longitude) IS NOT NULL OR \(new.latitude) IS NOT NULL;",
      "  by_geography := \(isWritable ? "\(new.geography) IS NOT NULL" : "false");",
      "ELSE",
      // A point of another type may have no location.
      "  by_coordinates := \(new.coordinates) IS DISTINCT FROM \(old.coordinates)",
      "    OR \(new.coordinates) IS NOT NULL AND \(new.type) IS NOT NULL",
      "    AND \(new.type) IS DISTINCT FROM \(old.type);",
      "  by_degrees := \(new.longitude) IS DISTINCT FROM \(old.longitude)",
      "    OR \(new.latitude) IS DISTINCT FROM \(old.latitude);",
      isWritable
        ? "  by_geography := \(bytes(new.geography)) IS DISTINCT FROM \(bytes(old.geography));"
        : "  by_geography := false;",
      "  IF \(new.presence) IS NULL AND \(old.presence)",
      "    AND NOT (by_coordinates OR by_degrees OR by_geography) THEN",
      "    by_coordinates := true;",
      "    \(new.coordinates) := NULL;",
      "  END IF;",
      "END IF;",
      "c := \(new.coordinates);",
      "IF by_degrees AND NOT by_coordinates THEN",
      "  c := CASE WHEN \(new.longitude) IS NULL AND \(new.latitude) IS NULL THEN NULL",
      "    ELSE ARRAY[\(new.longitude), \(new.latitude)] || c[3:] END;",
    ]
    if isWritable {
      lines += [
        "ELSIF by_geography AND NOT by_coordinates THEN",
        "  c := CASE WHEN \(new.geography) IS NULL THEN NULL WHEN \(part("ST_IsEmpty")) THEN '{}'",
        "    ELSE ARRAY[\(part("ST_X")), \(part("ST_Y"))] || c[3:] END;",
      ]
    }
    lines += [
      "END IF;",
      "IF by_coordinates OR by_degrees OR by_geography THEN",
      "  \(new.presence) := CASE WHEN c IS NOT NULL THEN true END;",
      "  \(new.type) := CASE WHEN c IS NULL THEN NULL",
      "    WHEN by_coordinates THEN coalesce(\(new.type), 'Point') ELSE 'Point' END;",
    ]
    // A set point implies the presence of the embedded objects around it.
    lines += allFields.map(\.name).filter { point.hasPrefix($0 + ".") }.map {
      "  IF c IS NOT NULL THEN NEW.\(SQLStatement.quoted($0)) := true; END IF;"
    }
    lines += [
      "END IF;",
      "lon := NULL; lat := NULL; g := NULL;",
      "IF lower(\(new.type)) = 'point' AND abs(c[1]) <= 180 AND abs(c[2]) <= 90 THEN",
      "  lon := c[1]; lat := c[2];",
      "  g := \(geography("lon", "lat"));",
      "END IF;",
      "IF by_degrees AND (\(new.longitude) IS DISTINCT FROM lon",
      "    OR \(new.latitude) IS DISTINCT FROM lat)",
    ]
    if isWritable {
      lines += [
        "  OR by_geography AND (by_coordinates OR by_degrees)",
        "    AND \(bytes(new.geography)) IS DISTINCT FROM \(bytes("g"))",
      ]
    }
    lines += [
      "THEN RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = \(message); END IF;",
      cellCheck(of: point),
      "\(new.coordinates) := c; \(new.longitude) := lon; \(new.latitude) := lat;",
      isWritable ? "\(new.geography) := g;" : "",
    ]
    return lines.map { "  " + $0 }.joined(separator: "\n")
  }

  /// Returns the statement that raises an error for a point outside of the cell of its row.
  private func cellCheck(of point: String) -> String {
    guard let partitions, let grid = partitions.grid,
      partitions.column == ColumnNaming.cell(point)
    else { return "" }
    let message = SQLStatement.literal(
      "the point '\(point)' is not in the cell of column '\(partitions.column)', which divides the rows: change "
        + "the cell too, or push the class")
    return "IF NEW.\(SQLStatement.quoted(partitions.column)) IS DISTINCT FROM "
      + "(\(grid.expression(longitude: "lon", latitude: "lat"))) "
      + "THEN RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = \(message); END IF;"
  }
}

/// The quoted names of the columns of an embedded point.
private struct PointColumnNames {
  var presence: String
  var type: String
  var coordinates: String
  var longitude: String
  var latitude: String
  var geography: String

  init(_ point: String, _ inner: [PostgresField]) {
    func member(_ name: String) -> String {
      let property = inner.first { $0.property.name == name }?.property
      return SQLStatement.quoted("\(point).\(property?.columnName ?? name)")
    }
    presence = SQLStatement.quoted(point)
    type = member(ObjectSchema.pointTypeName)
    coordinates = member(ObjectSchema.pointCoordinatesName)
    longitude = SQLStatement.quoted(ColumnNaming.longitude(point))
    latitude = SQLStatement.quoted(ColumnNaming.latitude(point))
    geography = SQLStatement.quoted(ColumnNaming.geography(point))
  }

  /// Returns the columns qualified with the old or the new row.
  func prefixed(_ row: String) -> PointColumnNames {
    var names = self
    for column in [
      \PointColumnNames.presence, \.type, \.coordinates, \.longitude, \.latitude, \.geography,
    ] {
      names[keyPath: column] = "\(row).\(self[keyPath: column])"
    }
    return names
  }
}
