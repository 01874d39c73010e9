import Cadastre
import CadastreTestSupport
import Foundation

/// A value for one property of a plot.
enum WriteField: Sendable {
  case rank(Int)
  case number(Int)
  case name(String?)
  case words(String)
  case size(Double)
  case date(Date)
  case bytes(Data)
  case flag(Bool)
  case any(WriteModel.Mixed)
  case spot(WriteModel.Spot?)
  case best(Int?)
  case cover(WriteModel.Part?)

  /// Makes a value for a random property; `ids` are the plots that exist.
  static func random(_ ids: [Int], _ random: inout SeededGenerator) -> WriteField {
    switch random.below(14) {
    case 0, 1: .rank(random.below(5))
    case 2, 3: .number(random.below(100))
    case 4: .name(random.oneIn(4) ? nil : "name \(random.below(4))")
    case 5: .words(words(&random))
    case 6: .size(Double(random.below(400)) / 4)
    case 7: .date(Date(timeIntervalSince1970: Double(random.below(8000)) / 8))
    case 8: .bytes(Data(repeating: UInt8(random.below(256)), count: random.below(40)))
    case 9: .flag(random.oneIn(2))
    case 10: .any(mixed(&random))
    case 11: .spot(random.oneIn(4) ? nil : spot(&random))
    case 12: .best(random.oneIn(4) || ids.isEmpty ? nil : random.pick(ids))
    default: .cover(random.oneIn(4) ? nil : part(&random))
    }
  }

  static func words(_ random: inout SeededGenerator) -> String {
    ["wind", "rain", "sun"].filter { _ in random.oneIn(2) }.joined(separator: " ")
  }

  static func spot(_ random: inout SeededGenerator) -> WriteModel.Spot {
    WriteModel.Spot(
      longitude: Double(random.below(21) - 10) / 2, latitude: Double(random.below(21) - 10) / 2)
  }

  static func part(_ random: inout SeededGenerator) -> WriteModel.Part {
    WriteModel.Part(text: "part \(random.below(5))", weight: random.below(50))
  }

  static func mixed(_ random: inout SeededGenerator) -> WriteModel.Mixed {
    switch random.below(4) {
    case 0: .none
    case 1: .int(random.below(9))
    case 2: .string("any \(random.below(9))")
    default: .double(Double(random.below(9)) + 0.5)
    }
  }

  /// The name of the property.
  var key: String {
    switch self {
    case .rank: "rank"
    case .number: "number"
    case .name: "name"
    case .words: "words"
    case .size: "size"
    case .date: "date"
    case .bytes: "bytes"
    case .flag: "flag"
    case .any: "any"
    case .spot: "spot"
    case .best: "best"
    case .cover: "cover"
    }
  }

  /// Sets the property in the model.
  func set(in plot: inout WriteModel.Plot) {
    switch self {
    case .rank(let value): plot.rank = value
    case .number(let value): plot.number = value
    case .name(let value): plot.name = value
    case .words(let value): plot.words = value
    case .size(let value): plot.size = value
    case .date(let value): plot.date = value
    case .bytes(let value): plot.bytes = value
    case .flag(let value): plot.flag = value
    case .any(let value): plot.any = value
    case .spot(let value): plot.spot = value
    case .best(let value): plot.best = value
    case .cover(let value): plot.cover = value
    }
  }

  /// Sets the property of an object.
  func set(in plot: WritePlot, _ held: HeldObjects) throws(WriteFailure) {
    switch self {
    case .rank(let value): plot.rank = value
    case .number(let value): plot.number = value
    case .name(let value): plot.name = value
    case .words(let value): plot.words = value
    case .size(let value): plot.size = value
    case .date(let value): plot.date = value
    case .bytes(let value): plot.bytes = value
    case .flag(let value): plot.flag = value
    case .any(let value): plot.any = value.value
    case .spot(let value): plot.spot = value.map { WriteSpot(value: $0.dictionary) }
    case .best(let id):
      if let id { plot.best = try held.plot(id) } else { plot.best = nil }
    case .cover(let value):
      if let value, let cover = plot.cover, value.weight.isMultiple(of: 2) {
        // The members of the object that exists.
        cover.text = value.text
        cover.weight = value.weight
      } else {
        plot.cover = value.map { WritePart(value: $0.dictionary) }
      }
    }
  }

  /// Returns the value for `create(_:value:)`.
  func value(_ held: HeldObjects) throws(WriteFailure) -> Any? {
    switch self {
    case .rank(let value): value
    case .number(let value): value
    case .name(let value): value
    case .words(let value): value
    case .size(let value): value
    case .date(let value): value
    case .bytes(let value): value
    case .flag(let value): value
    case .any(let value): value.value
    case .spot(let value): value?.dictionary
    case .best(let id): if let id { try held.plot(id) } else { nil }
    case .cover(let value): value?.dictionary
    }
  }
}

extension WriteModel.Spot {
  var dictionary: [String: Any] { ["coordinates": [longitude, latitude]] }
}

extension WriteModel.Part {
  var dictionary: [String: Any] { ["text": text, "weight": weight] }
}
