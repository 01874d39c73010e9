import Cadastre
import Foundation

/// Replies to requests: reads run in tasks with Realms of their own, writes are collected.
struct PlaceService: Sendable {
  private let configuration: Realm.Configuration
  let writer: Writer

  /// The largest number of places in a reply.
  private static let maximumCount = 1000

  init(_ configuration: Realm.Configuration) {
    self.configuration = configuration
    writer = Writer(configuration)
  }

  /// Opens the store, which stays open as long as the service.
  func start() async throws { try await writer.start() }

  /// Returns the reply to a request; errors are replies too.
  func reply(to request: PlaceRequest) async -> Reply {
    do {
      return try await result(of: request)
    } catch let error as RequestError {
      return Reply(error.status, ["error": error.description])
    } catch let error as InvalidValueError {
      return Reply(422, ["error": error.description])
    } catch let error as QueryPredicateError {
      return Reply(400, ["error": "\(error)"])
    } catch let error as DecodingError {
      return Reply(400, ["error": "the body does not fit: \(error)"])
    } catch {
      return Reply(503, ["error": "\(error)"])
    }
  }

  private func result(of request: PlaceRequest) async throws -> Reply {
    guard request.path.first == "places", request.path.count <= 2 else {
      throw RequestError(status: 404, description: "there is no such resource")
    }
    let isCollection = request.path.count == 1
    switch request.method {
    case "GET" where isCollection: return try placesInCircle(request)
    case "GET": return try place(request.identifier())
    case "POST" where isCollection: return try await store(request, id: nil)
    case "POST" where request.path == ["places", "search"]: return try search(request)
    case "PUT" where !isCollection: return try await store(request, id: request.identifier())
    case "DELETE" where !isCollection: return try await delete(request.identifier())
    default: throw RequestError(status: 405, description: "the resource has no such method")
    }
  }

  // MARK: Reading

  private func read(_ block: (Realm) throws -> Reply) throws -> Reply {
    let realm = try Realm(configuration: configuration)
    return try realm.throwingReadErrors { try block(realm) }
  }

  private func place(_ id: Int) throws -> Reply {
    try read { realm in
      guard let place = realm.object(ofType: Place.self, forPrimaryKey: id) else {
        throw RequestError(status: 404, description: "there is no such place")
      }
      return Reply(200, try place.encoded(depth: 1))
    }
  }

  /// The places within `km` of `lon` and `lat`, nearest first, that match `where`.
  private func placesInCircle(_ request: PlaceRequest) throws -> Reply {
    guard
      let center = GeoPoint(
        latitude: try request.required("lat"), longitude: try request.required("lon")),
      let radius = Distance.kilometers(try request.number("km") ?? 10)
    else { throw RequestError(status: 400, description: "there is no such circle") }
    let count = try count(Int(exactly: try request.number("limit") ?? 100))
    return try read { realm in
      var places = realm.objects(Place.self).within(radius, of: center)
      if let predicate = request.parameters["where"] {
        places = try places.filter(parsing: predicate)
      }
      return Reply(200, try places.nearest(count, to: center).encoded(depth: 0))
    }
  }

  private func search(_ request: PlaceRequest) throws -> Reply {
    let search = try JSONDecoder().decode(Search.self, from: request.body)
    let count = try count(search.limit ?? 100)
    return try read { realm in
      var places = realm.objects(Place.self)
      if let area = search.area {
        places = try places.where(checking: { $0.location.geoWithin(area) })
      }
      if let predicate = search.predicate { places = try places.filter(parsing: predicate) }
      return Reply(200, try places.limit(count).encoded(depth: 0))
    }
  }

  private func count(_ count: Int?) throws -> Int {
    if let count, (0...Self.maximumCount).contains(count) { return count }
    throw RequestError(status: 400, description: "the limit is \(Self.maximumCount) places")
  }

  // MARK: Writing

  /// Creates a place, or changes the properties that the body names.
  private func store(_ request: PlaceRequest, id: Int?) async throws -> Reply {
    try Self.check(try request.object(), needsKey: id == nil)
    return try await writer.write { realm in
      // Read again, because a dictionary of `Any` is not `Sendable`.
      var values = try request.object()
      if let id { values["id"] = id }
      let place = try realm.create(checking: Place.self, value: values, update: .modified)
      return Reply(200, try place.encoded(depth: 0))
    }
  }

  /// Checks what the class itself accepts: without coordinates in range no search finds a place.
  private static func check(_ values: [String: Any], needsKey: Bool) throws {
    guard !needsKey || values["id"] != nil else {
      throw RequestError(status: 422, description: "a place needs an 'id'")
    }
    guard let point = values["location"] as? [String: Any] else { return }
    let coordinates = point["coordinates"] as? [Double] ?? []
    guard coordinates.count >= 2,
      GeoPoint(latitude: coordinates[1], longitude: coordinates[0]) != nil
    else {
      throw RequestError(status: 422, description: "'location' is not a point on Earth")
    }
  }

  private func delete(_ id: Int) async throws -> Reply {
    try await writer.write { realm in
      guard let place = realm.object(ofType: Place.self, forPrimaryKey: id) else {
        throw RequestError(status: 404, description: "there is no such place")
      }
      realm.delete(place)
      return Reply(204)
    }
  }
}
