import Cadastre
import Foundation

/// A request of a client, whatever the protocol that carried it.
struct PlaceRequest: Sendable {
  var method: String
  /// The parts of the path: `places`, `7`.
  var path: [String]
  var parameters: [String: String] = [:]
  var body = Data()
}

/// A reply: a status of HTTP, and JSON.
struct Reply: Sendable {
  let status: Int
  let body: Data

  /// A reply without a body.
  init(_ status: Int) { (self.status, body) = (status, Data()) }

  /// A reply with a value as JSON.
  init(_ status: Int, _ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      (self.status, body) = (status, try encoder.encode(value))
    } catch {
      (self.status, body) = (500, Data(#"{"error":"the reply is not JSON"}"#.utf8))
    }
  }
}

/// A request that cannot be carried out, with the status that says why.
struct RequestError: Error, CustomStringConvertible {
  var status: Int
  var description: String
}

/// A search in a body: an area in GeoJSON, a predicate, and the number of places.
struct Search: Decodable, Sendable {
  var area: GeoShape?
  var predicate: String?
  var limit: Int?
}

extension PlaceRequest {
  /// The number of a parameter; nil where it is missing.
  func number(_ name: String) throws -> Double? {
    guard let text = parameters[name] else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw RequestError(status: 400, description: "'\(name)' is not a number")
    }
    return number
  }

  /// The value of a parameter that must be there.
  func required(_ name: String) throws -> Double {
    if let number = try number(name) { return number }
    throw RequestError(status: 400, description: "'\(name)' is missing")
  }

  /// The identifier of a place at the end of the path.
  func identifier() throws -> Int {
    if let text = path.last, let id = Int(text) { return id }
    throw RequestError(status: 404, description: "there is no such place")
  }

  /// The object of JSON in the body.
  func object() throws -> [String: Any] {
    do {
      if let object = try JSONSerialization.jsonObject(with: body) as? [String: Any] {
        return object
      }
    } catch {
      throw RequestError(status: 400, description: "the body is not JSON")
    }
    throw RequestError(status: 400, description: "the body is not an object of JSON")
  }
}
