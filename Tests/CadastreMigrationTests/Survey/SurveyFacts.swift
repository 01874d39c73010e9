import Foundation

/// What a release of the survey holds when it has been filled by another: said twice, here as plain
/// values and by the library as a store.
struct SurveyFacts {
  /// The release of the queried store.
  let version: Int
  /// The release that wrote the objects.
  let origin: Int

  static let parcelCount = 23
  static let ownerCount = 4

  /// The objects of all classes, in the order in which they were added.
  var objects: [String: [[String: Plain]]] {
    var objects = [
      "Owner": (0..<Self.ownerCount).map(owner), "Parcel": (0..<Self.parcelCount).map(parcel),
    ]
    if version < 4 {
      objects["Photo"] = (0..<3).map { ["bytes": .data(Data([UInt8($0)]))] }
    }
    return objects
  }

  func ownerKey(_ number: Int) -> Plain {
    version < 4 ? .int(number) : .string("owner-\(number)")
  }

  private func owner(_ number: Int) -> [String: Plain] {
    let mail: Plain = number == 1 ? .null : .string("o\(number)@example.org")
    var owner: [String: Plain] = [
      "id": ownerKey(number), "name": .string("Owner \(number)"),
      version < 2 ? "mail" : "email": mail,
    ]
    if version >= 2 {
      owner["born"] =
        origin >= 2 && number != 2
        ? .date(Date(timeIntervalSince1970: Double(number) * 1e8)) : .null
    }
    return owner
  }

  func parcel(_ number: Int) -> [String: Plain] {
    var parcel: [String: Plain] = [
      "number": .string("P\(number)"),
      "area": version < 2 ? .int(number * 3 + 1) : .double(Double(number * 3 + 1)),
      "note": number % 3 == 0
        ? (version < 2 && origin < 2 ? .null : .string("")) : .string("note \(number) of all"),
      version < 4 ? "center" : "location": center(number),
      "owner": number % 6 == 0 ? .null : .owner(ownerKey(number % Self.ownerCount)),
      "corners": .list((0..<number % 4).map { corner(number, $0) }),
      "address": address(number), "extra": extra(number),
    ]
    let tags = (0..<number % 4).map { Plain.string("t\($0 % 2)") }
    parcel["tags"] = version < 5 ? .list(tags) : .set(Set(tags))
    let rates = (0..<number % 3).map { ("r\($0)", number + $0) }
    parcel["rates"] = .map(
      Dictionary(
        uniqueKeysWithValues: rates.map {
          ($0.0, version < 3 ? .double(Double($0.1)) : .int($0.1))
        }))
    if version < 4 {
      parcel["neighbours"] = .set(Set((0..<number % 3).map { .string("P\(number + $0)") }))
    }
    if version >= 2 { parcel["isOpen"] = .bool(origin >= 2 && number % 2 == 0) }
    return parcel
  }

  // MARK: Locations

  /// Degrees east and north of a parcel.
  static func place(_ number: Int) -> (longitude: Double, latitude: Double) {
    (Double(number) * 7 - 80, Double(number) * 3 - 33)
  }

  /// Whether a parcel's center has a position: some are invalid, some are missing.
  static func hasPlace(_ number: Int) -> Bool { number % 5 != 0 && number % 7 != 3 }

  private func center(_ number: Int) -> Plain {
    guard number % 5 != 0 else { return .null }
    let (longitude, latitude) = Self.place(number)
    switch number % 7 {
    case 1: return spot("point", [longitude, latitude], number)
    case 2: return spot("Point", [longitude, latitude, 12.5], number)
    case 3: return spot("Nowhere", [1], number)
    case 4: return spot("Point", [longitude, latitude, 1, 2, 3], number)
    default: return spot("Point", [longitude, latitude], number)
    }
  }

  private func corner(_ number: Int, _ index: Int) -> Plain {
    spot("Point", [Double(number), Double(index) - 0.5], number)
  }

  private func spot(_ type: String, _ coordinates: [Double], _ number: Int) -> Plain {
    var spot: [String: Plain] = [
      "type": .string(type), "coordinates": .list(coordinates.map { .double($0) }),
    ]
    if version >= 5 { spot["accuracy"] = .double(origin >= 5 ? Double(number) / 2 : 0) }
    return .object(spot)
  }

  private func address(_ number: Int) -> Plain {
    guard number % 2 == 1 else { return .null }
    var address: [String: Plain] = [
      "street": .string("Street \(number)"), "city": number % 3 == 0 ? .null : .string("City"),
      "lines": .list((0..<number % 3).map { .string("line \($0)") }),
    ]
    if version >= 3 { address["zip"] = .int(origin >= 3 ? 1000 + number : 0) }
    return .object(address)
  }

  private func extra(_ number: Int) -> Plain {
    switch number % 4 {
    case 0: .int(number)
    case 1: .string("extra \(number)")
    case 2: .owner(ownerKey(number % Self.ownerCount))
    default: .null
    }
  }
}
