import CadastreDatasets
import CadastreModel
import CadastrePredicate
import CadastreStore
import Foundation

/// The features of a collection.
extension ExplorerService {
  /// The reserved parameters, which are not properties.
  private static let itemParameters = [
    "f", "limit", "bbox", "bbox-crs", "datetime", "filter", "filter-lang", "filter-crs", "sortby",
    "properties",
    "cursor", "crs", "token",
  ]
  private static let defaultItems = 10

  func items(_ request: ServerRequest) throws -> ServerReply {
    let view = try view(request)
    let schema = view.schema
    let root = try view.queriedClass(request.path[1])
    let tag = EntityTag(version: view.version)
    if tag.isCached(by: request) { return tag.notModified }
    let parameters = try Parameters(
      request, allowing: Self.itemParameters + Self.filters(root).map(\.name))
    let format = try parameters.word("f", of: ["json", "geojson", "html"])
    let limit = try parameters.integer("limit", in: 1...Int(Int32.max)) ?? Self.defaultItems
    for name in ["bbox-crs", "filter-crs", "crs"] {
      _ = try parameters.word(name, of: [Self.crs84])
    }
    let selection = try self.selection(root, parameters, schema)
    let query = try view.query(selection)
    let columns = try query.columns(try columnNames(parameters, root, schema))
    let keys = try keys(selection, query, view)
    let first =
      try parameters["cursor"].map {
        try Cursor($0).index(in: keys, isAscending: selection.order == nil)
      } ?? 0
    var page = Array(keys[first..<min(keys.count, first + min(limit, Self.mostRows))])
    let features = try self.features(&page, query, columns)
    let end = first + page.count
    let cursor = end < keys.count ? Cursor(after: end, of: keys).text : nil
    let links = Self.links(request, next: cursor)
    if request.wantsPage(format) {
      let object: JSONObject = [
        "numberMatched": .integer(keys.count), "numberReturned": .integer(page.count),
        "links": .list(links), "features": .list(features.map(JSONItem.raw)),
      ]
      return ServerReply(DataPage.text(root.className, object), Self.pageType)
    }
    let time = Timestamp(Date()).description
    let text =
      "{\"type\":\"FeatureCollection\",\"numberMatched\":\(keys.count),"
      + "\"numberReturned\":\(page.count),\"timeStamp\":\(JSONObject.quoted(time)),"
      + "\"links\":\(JSONItem.list(links).text),\"features\":[\(features.joined(separator: ","))]}"
    var reply = ServerReply(text, Self.featureType)
    reply.headers.append(tag.field)
    return reply
  }

  func item(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(request, allowing: ["f", "crs", "token"])
    let format = try parameters.word("f", of: ["json", "geojson", "html"])
    let view = try view(request)
    let root = try view.queriedClass(request.path[1])
    let id = request.path[3]
    guard let (_, feature) = try feature(id, root, view) else {
      throw Self.missing(id, root)
    }
    if request.wantsPage(format) {
      return ServerReply(DataPage.text(id, ["feature": .raw(feature)]), Self.pageType)
    }
    let tag = EntityTag(content: feature)
    if tag.isCached(by: request) { return tag.notModified }
    let links = Links(request.origin)
    let path = "collections/\(Links.encoded(root.className))"
    let list = JSONItem.list([
      links.link("self", "\(path)/items/\(Links.encoded(id))", Self.featureType, "This feature"),
      links.link("collection", path, Self.jsonType, "The collection"),
    ])
    var reply = ServerReply(feature.dropLast() + ",\"links\":\(list.text)}", Self.featureType)
    reply.headers.append(tag.field)
    return reply
  }

  static func missing(_ id: String, _ root: ObjectSchema) -> RequestError {
    .notFound("collection '\(root.className)' has no feature '\(id)'")
  }

  /// Returns the key and the GeoJSON text of the object with an id; nil for none.
  func feature(
    _ id: String, _ root: ObjectSchema, _ view: StoreView
  ) throws -> (key: Int64, text: String)? {
    var selection = Selection(root.className)
    var keys: [Int64] = []
    if let property = root.primaryKeyProperty {
      guard let value = Self.value(id, property) else { return nil }
      selection.conditions = [.compare(PropertyPath([property.name]), .equal, value)]
      keys = try view.query(selection).keys()
    } else if let key = Int64(id) {
      keys = [key]
    }
    let query = try view.query(selection)
    guard let text = try features(&keys, query, query.columns(nil)).first, let key = keys.first
    else { return nil }
    return (key, text)
  }

  /// Returns objects as GeoJSON features.
  ///
  /// - Parameters:
  ///   - keys: The keys; keys beyond the size of a page are removed.
  ///   - query: The query that reads the objects.
  ///   - columns: The columns.
  /// - Returns: The features.
  /// - Throws: `StoreError`.
  func features(
    _ keys: inout [Int64], _ query: StoreQuery, _ columns: [OutputColumn]
  ) throws -> [String] {
    var options = RecordWriter.Options()
    options.identifier = query.primaryKey
    var writer = RecordWriter(.geojsonseq, columns: columns, options)
    var features: [String] = []
    var bytes = 0
    try forEachRecord(of: &keys, query) { record, key in
      writer.append(record)
      var text = String(decoding: writer.take().dropLast(), as: UTF8.self)
      if query.primaryKey == nil {
        let head = "{\"type\":\"Feature\","
        text = head + "\"id\":\(key)," + text.dropFirst(head.count)
      }
      features.append(text)
      bytes += text.utf8.count
      return bytes < Self.mostPageBytes
    }
    return features
  }

  private static func links(_ request: ServerRequest, next: String?) -> [JSONItem] {
    let links = Links(request.origin)
    let path = request.path.map(Links.encoded).joined(separator: "/")
    func address(_ changes: [String: String]) -> String {
      let others = request.parameters.filter { changes[$0.name] == nil && $0.name != "token" }
      let all = others + changes.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
      let text = all.map { "\(Links.encoded($0.name))=\(Links.encoded($0.value))" }
      return text.isEmpty ? path : "\(path)?\(text.joined(separator: "&"))"
    }
    var list = [
      links.link("self", address([:]), featureType, "These features"),
      links.link("alternate", address(["f": "html"]), "text/html", "These features as a page"),
      links.link(
        "collection", request.path.prefix(2).map(Links.encoded).joined(separator: "/"), jsonType,
        "The collection"),
    ]
    if let next {
      list.append(links.link("next", address(["cursor": next]), featureType, "The next features"))
    }
    return list
  }

  // MARK: Parameters

  /// Returns the selection of the parameters of features.
  func selection(
    _ root: ObjectSchema, _ parameters: Parameters, _ schema: Schema
  ) throws -> Selection {
    var selection = try filtered(root, parameters, schema)
    try addProperties(parameters, root, to: &selection)
    try addDate(parameters, root, to: &selection)
    selection.box = root.place(in: schema) == nil ? nil : try parameters.box("bbox")
    selection.order = parameters["sortby"].map(Self.order)
    return selection
  }

  /// Returns the selection of the parameters `filter` and `filter-lang`.
  func filtered(
    _ root: ObjectSchema, _ parameters: Parameters, _ schema: Schema
  ) throws -> Selection {
    var selection = Selection(root.className)
    let language = try parameters.word("filter-lang", of: ["cql2-text", "cadastre"])
    guard let filter = parameters["filter"] else { return selection }
    if language == "cadastre" {
      selection.predicate = filter.allSatisfy(\.isWhitespace) ? nil : filter
    } else {
      var parser = FilterParser(filter, root, schema)
      selection.conditions = [try parser.predicate()]
      selection.filter = filter
    }
    return selection
  }

  /// Returns the properties that can be query parameters.
  private static func filters(_ root: ObjectSchema) -> [Property] {
    root.properties.filter { property in
      switch property.type {
      case .int, .bool, .string, .float, .double, .date, .UUID, .objectId, .decimal128:
        property.collection == nil
      default: false
      }
    }
  }

  /// Parses a value of a property; nil for invalid text.
  static func value(_ text: String, _ property: Property) -> Value? {
    switch property.type {
    case .string: .string(text)
    case .int: Int64(text).map(Value.int)
    case .bool: Bool(text).map(Value.bool)
    // There is one NaN in the language of predicates.
    case .float, .double: Double(text).map { .double($0.isNaN ? .nan : $0) }
    case .date: DateText.timestamp(text).map(Value.date)
    case .UUID: UUID(uuidString: text).map(Value.uuid)
    case .objectId: (try? ObjectId(string: text)).map(Value.objectId)
    case .decimal128: .decimal(Decimal128(string: text))
    default: nil
    }
  }

  private func addProperties(
    _ parameters: Parameters, _ root: ObjectSchema, to selection: inout Selection
  ) throws {
    for property in Self.filters(root) {
      guard !Self.itemParameters.contains(property.name), let text = parameters[property.name]
      else { continue }
      guard let value = Self.value(text, property) else {
        throw RequestError.parameter(
          "'\(property.name)': expected a value of type '\(property.type)', found '\(text)'")
      }
      selection.conditions.append(.compare(PropertyPath([property.name]), .equal, value))
    }
  }

  /// Adds the interval of the parameter `datetime` to the condition, for the first date property of the class.
  private func addDate(
    _ parameters: Parameters, _ root: ObjectSchema, to selection: inout Selection
  ) throws {
    guard let text = parameters["datetime"] else { return }
    let ends = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let invalid = RequestError.parameter(
      "'datetime': expected a date, or an interval such as 2020-01-01/.., found '\(text)'"
    )
    guard ends.count <= 2 else { throw invalid }
    let dates = try ends.map { end -> Timestamp? in
      if end.isEmpty || end == ".." {
        if ends.count == 1 { throw invalid }
        return nil
      }
      guard let date = DateText.timestamp(end) else { throw invalid }
      return date
    }
    if let from = dates[0], ends.count == 2, let to = dates[1], to < from { throw invalid }
    guard let property = root.properties.first(where: { $0.type == .date && $0.collection == nil })
    else { return }
    let limits: [(ComparisonOperator, Timestamp?)] =
      ends.count == 1
      ? [(.equal, dates[0])] : [(.greaterOrEqual, dates[0]), (.lessOrEqual, dates[1])]
    let path = PropertyPath([property.name])
    for (operation, date) in limits {
      guard let date else { continue }
      selection.conditions.append(.compare(path, operation, .date(date)))
    }
  }

  /// Converts `-population,name` to the order `population desc, name asc` of the store.
  private static func order(_ text: String) -> String {
    text.split(separator: ",").map { part in
      let name = part.drop { $0 == "+" || $0 == "-" || $0 == " " }
      return "\(name) \(part.hasPrefix("-") ? "desc" : "asc")"
    }.joined(separator: ", ")
  }

  /// Returns the column names of the parameter `properties` and the geometry; nil for all columns.
  private func columnNames(
    _ parameters: Parameters, _ root: ObjectSchema, _ schema: Schema
  ) throws -> String? {
    guard let text = parameters["properties"] else { return nil }
    var names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    for name in names where root[name] == nil {
      throw RequestError.parameter(
        "'properties': collection '\(root.className)' has no property '\(name)'")
    }
    if let place = root.place(in: schema), !names.contains(place.name) { names.append(place.name) }
    return names.joined(separator: ",")
  }
}
