import CadastreDatasets
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Completion of predicates and of field values.
extension ExplorerService {
  private struct Suggestion {
    let text: String
    let kind: String
    var detail = ""

    var item: JSONItem {
      let object: JSONObject = [
        "text": .string(text), "kind": .string(kind), "detail": .string(detail),
      ]
      return .object(object)
    }
  }

  /// The maximum number of suggestions.
  private static let mostSuggestions = 50

  func complete(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(
      request, allowing: ["class", "predicate", "cursor", "token"])
    let text = parameters["predicate"] ?? ""
    let cursor =
      try parameters.integer("cursor", in: 0...max(0, text.utf16.count)) ?? text.utf16.count
    let head = String(decoding: Array(text.utf16.prefix(cursor)), as: UTF16.self)
    let context = PredicateContext(head)
    let view = try view(request)
    let root = try view.queriedClass(try parameters.required("class"))
    let found = try suggestions(context, root, view).prefix(Self.mostSuggestions)
    let object: JSONObject = [
      "start": .integer(cursor - context.length), "length": .integer(context.length),
      "items": .list(found.map(\.item)),
    ]
    return ServerReply(object.text)
  }

  private func suggestions(
    _ context: PredicateContext, _ root: ObjectSchema, _ view: StoreView
  ) throws -> [Suggestion] {
    let schema = view.schema
    let prefix = context.prefix.lowercased()
    func words(_ list: [String], _ kind: String) -> [Suggestion] {
      list.filter { $0.lowercased().hasPrefix(prefix) }.map { Suggestion(text: $0, kind: kind) }
    }
    switch context.expected {
    case .condition:
      guard context.quote == nil else { return [] }
      let fields = Self.fields(root, schema).filter { $0.text.lowercased().hasPrefix(prefix) }
      return fields + words(["NOT", "TRUEPREDICATE"], "keyword")
    case .comparison(let field):
      guard context.quote == nil else { return [] }
      return words(
        Self.operators(try? schema.property(at: PropertyPath(field), from: root), schema),
        "operator")
    case .connective: return context.quote == nil ? words(["AND", "OR"], "keyword") : []
    case .value(let field):
      guard let property = try? schema.property(at: PropertyPath(field), from: root) else {
        return []
      }
      if schema.isPoint(property) || property.type == .geometry {
        return words(
          [
            "geoCircle([0, 0], 0.01)", "geoBox([-10, 40], [10, 60])",
            "geoPolygon({[0, 0], [10, 0], [10, 10], [0, 0]})",
          ],
          "function")
      }
      if property.type == .bool { return words(["true", "false"], "value") }
      guard property.collection == nil, property.type != .object, property.type != .data else {
        return []
      }
      let isText = property.type == .string
      return try distinctValues(field, context.prefix, root, property, view).map { value in
        Suggestion(text: isText ? Self.quoted(value) : value, kind: "value")
      }
    case .nothing: return []
    }
  }

  /// Returns the fields of a class; fields of embedded objects are paths.
  private static func fields(
    _ owner: ObjectSchema, _ schema: Schema, prefix: String = ""
  ) -> [Suggestion] {
    owner.properties.flatMap { property -> [Suggestion] in
      guard schema.isInline(property), let target = schema.target(of: property),
        !target.isPointShaped
      else {
        let isIndexed = property.isIndexed || property.isPrimaryKey
        return [
          Suggestion(
            text: prefix + property.name, kind: "field",
            detail: typeName(property, schema) + (isIndexed ? ", indexed" : ""))
        ]
      }
      return fields(target, schema, prefix: "\(prefix)\(property.name).")
    }
  }

  private static func operators(_ property: Property?, _ schema: Schema) -> [String] {
    guard let property else { return ["==", "!="] }
    if schema.isPoint(property) { return ["GEOWITHIN", "==", "!="] }
    return switch property.type {
    case .geometry:
      [
        "GEOINTERSECTS", "GEOWITHIN", "GEOCONTAINS", "GEODISJOINT", "GEOEQUALS",
        "GEOTOUCHES[planar]", "GEOCROSSES[planar]", "GEOOVERLAPS[planar]",
      ]
    case .string:
      ["==", "!=", "BEGINSWITH", "CONTAINS", "CONTAINS[c]", "ENDSWITH", "LIKE", "IN", "<", ">"]
    case .bool, .object, .any, .data: ["==", "!="]
    default: ["==", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN"]
    }
  }

  /// Returns a text as a string literal of the predicate language.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }

  func values(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(
      request, allowing: ["class", "field", "prefix", "limit", "token"])
    let limit = try parameters.integer("limit", in: 1...1000) ?? 20
    let view = try view(request)
    let root = try view.queriedClass(try parameters.required("class"))
    let field = try parameters.required("field")
    let property = try view.schema.property(at: PropertyPath(field), from: root)
    let values = try distinctValues(field, parameters["prefix"] ?? "", root, property, view)
    return ServerReply("{\"values\":\(JSONItem(Array(values.prefix(limit))).text)}")
  }

  /// Returns the distinct values of a field with a prefix as text, sorted.
  ///
  /// - Complexity: O(n) for n objects with matching values.
  private func distinctValues(
    _ field: String, _ prefix: String, _ root: ObjectSchema, _ property: Property,
    _ view: StoreView
  ) throws -> [String] {
    guard property.collection == nil, property.type != .object, property.type != .data,
      property.type != .geometry, !view.schema.isPoint(property)
    else { return [] }
    var selection = Selection(root.className)
    if property.type == .string, !prefix.isEmpty {
      selection.conditions = [
        .compare(
          PropertyPath(field), .beginsWith, .string(prefix), options: .caseInsensitive)
      ]
    }
    let query = try view.query(selection)
    let column = try query.columns(field)[0]
    var values: Set<TextKey> = []
    try query.forEachRecord(Array(try query.keys(distinct: field).prefix(Self.comparedValues))) {
      let text = FieldText.plain($0.written(column))
      if !text.isEmpty, text.lowercased().hasPrefix(prefix.lowercased()) {
        values.insert(TextKey(text))
      }
    }
    return values.map(\.text).sorted().prefix(Self.mostSuggestions).map(\.self)
  }

  /// The maximum number of values that are compared with a prefix.
  private static let comparedValues = 5000
}

/// The syntactic context of the cursor in an incomplete predicate.
struct PredicateContext {
  /// The kind of the next token.
  enum Expected: Equatable {
    /// A field, or a keyword at the start of a condition.
    case condition
    /// An operator for a field.
    case comparison(field: String)
    /// A value for a field after an operator.
    case value(field: String)
    /// A keyword between conditions.
    case connective
    /// None, because the cursor is in a string that is compared with no field.
    case nothing
  }

  /// The kind of the next token.
  private(set) var expected = Expected.condition
  /// The part of the word before the cursor, without a quotation mark.
  private(set) var prefix = ""
  /// The quotation mark before the word; nil for none.
  private(set) var quote: Character?
  /// The length of the word in UTF-16 units, with the quotation mark.
  private(set) var length = 0

  private static let connectives: Set<String> = ["AND", "OR", "NOT", "&&", "||", "!"]
  private static let operators: Set<String> = [
    "==", "=", "!=", "<>", "<", ">", "<=", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE",
    "MATCHES", "IN",
    "BETWEEN", "GEOWITHIN", "GEOINTERSECTS", "GEODISJOINT", "GEOCONTAINS", "GEOEQUALS",
    "GEOTOUCHES", "GEOCROSSES", "GEOOVERLAPS",
  ]

  /// Reads the text before the cursor.
  init(_ text: String) {
    var field: String?
    var rest = Substring(text)
    while let token = Self.token(&rest) {
      let isLast = rest.isEmpty
      let word = String(token.text)
      if isLast, !token.isComplete {
        prefix = token.quote == nil ? word : String(word.dropFirst())
        quote = token.quote
        length = word.utf16.count
        return
      }
      let upper = String(word.uppercased().prefix { $0 != "[" })
      if Self.connectives.contains(upper) || word == "(" {
        if case .value = expected, word == "(" { continue }
        (field, expected) = (nil, .condition)
      } else if Self.operators.contains(upper) {
        expected = field.map { .value(field: $0) } ?? .nothing
      } else if word == "," || word == "{" {
        continue
      } else if case .condition = expected {
        field = word
        expected = .comparison(field: word)
      } else if word == ")" || word == "}" || expected != .connective {
        expected = .connective
      }
    }
  }

  private struct Token {
    let text: Substring
    let quote: Character?
    /// Whether further characters cannot extend the token.
    let isComplete: Bool
  }

  private static func token(_ rest: inout Substring) -> Token? {
    rest = rest.drop { $0.isWhitespace }
    guard let first = rest.first else { return nil }
    if first == "'" || first == "\"" {
      var end = rest.index(after: rest.startIndex)
      while end < rest.endIndex, rest[end] != first {
        end = rest.index(after: end)
        if end < rest.endIndex, rest[rest.index(before: end)] == "\\" {
          end = rest.index(after: end)
        }
      }
      let isClosed = end < rest.endIndex
      let stop = isClosed ? rest.index(after: end) : rest.endIndex
      defer { rest = rest[stop...] }
      return Token(text: rest[..<stop], quote: first, isComplete: isClosed)
    }
    if "(){},".contains(first) {
      defer { rest = rest.dropFirst() }
      return Token(text: rest.prefix(1), quote: nil, isComplete: true)
    }
    let isSymbol = { (sign: Character) in "=!<>&|".contains(sign) }
    let kind = isSymbol(first)
    let word = rest.prefix { !$0.isWhitespace && !"(){},'\"".contains($0) && isSymbol($0) == kind }
    defer { rest = rest[word.endIndex...] }
    return Token(text: word, quote: nil, isComplete: kind)
  }
}
