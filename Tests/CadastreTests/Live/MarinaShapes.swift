import Cadastre
import Foundation

/// The expected content at the version of the observing Realm.
final class MarinaView {
  var model = MarinaModel()
}

/// The observed shapes of results and collections, with their content computed from the model.
enum MarinaShapes {
  typealias YachtRow = MarinaModel.YachtRow

  static func all(_ view: MarinaView) -> [LiveShape] {
    results(view) + linked(view) + keyPaths(view) + owned(view) + sections(view)
      + [map(view), mateMap(view), properties(view)]
  }

  // MARK: Making

  private final class Kept<Value> { var value: Value? }

  /// An observed collection.
  private static func shape<Members: RealmCollection>(
    _ name: String, _ view: MarinaView, keyPaths: [String]? = nil,
    owner: ((MarinaModel) -> Int?)? = nil, replaces: Bool = false,
    _ make: @escaping (Realm) -> Members?, _ id: @escaping (Members.Element) -> String,
    _ expected: @escaping (MarinaModel) -> [LiveElement]
  ) -> LiveShape {
    // Results stay live, while a collection ends with its owner.
    let kept = Kept<Members>()
    func ids(_ members: Members?) -> [String]? {
      members.map { $0.isInvalidated ? [] : $0.map(id) }
    }
    return LiveShape(
      name, owner: owner, DeliveredElements(replaces: replaces, expected),
      read: { realm in
        guard owner == nil else { return ids(make(realm)) }
        if kept.value == nil { kept.value = make(realm) }
        return ids(kept.value)
      },
      describe: { expected($0).map(\.id) },
      start: { realm, shape in
        make(realm)?.observe(keyPaths: keyPaths) { [unowned shape] change in
          switch change {
          case .initial(let members):
            shape.deliver(
              .init(now: ids(members) ?? [], indexes: nil), as: DeliveredElements.self, view.model)
          case .update(let members, let deletions, let insertions, let modifications):
            shape.deliver(
              .init(now: ids(members) ?? [], indexes: [deletions, insertions, modifications]),
              as: DeliveredElements.self, view.model)
          case .error: break
          }
        }
      })
  }

  private static func yachts(_ realm: Realm) -> Results<Yacht> { realm.objects(Yacht.self) }
  private static func id(_ yacht: Yacht) -> String { "\(yacht.serial)" }
  private static func id(_ mate: Mate) -> String { "\(mate.serial)" }

  /// The serial numbers of matching yachts by numbers, ties in the order of the rows.
  private static func serials(
    _ model: MarinaModel, where matches: (YachtRow) -> Bool = { _ in true },
    by keys: (YachtRow) -> [Double] = { _ in [] }
  ) -> [Int] {
    let rows = model.yachtSerials.compactMap { serial in
      model.yachts[serial].flatMap { matches($0) ? (serial, keys($0) + [Double(serial)]) : nil }
    }
    return rows.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  private static func elements(_ serials: [Int], _ model: MarinaModel) -> [LiveElement] {
    serials.map { LiveElement(id: "\($0)", writes: model.writes(toYacht: $0)) }
  }

  private static func mates(_ serials: [Int], _ model: MarinaModel) -> [LiveElement] {
    serials.map { LiveElement(id: "\($0)", writes: model.writes(toMate: $0, links: 4)) }
  }

  /// A number with null first.
  private static func key(_ number: Double?) -> Double { number ?? -.infinity }

  private static func age(_ mate: Int?, _ model: MarinaModel) -> Int? {
    mate.flatMap { model.mates[$0]?.age }
  }

  // MARK: Results of a class

  private static func results(_ view: MarinaView) -> [LiveShape] {
    func shape(
      _ name: String, _ make: @escaping (Results<Yacht>) -> Results<Yacht>,
      _ expected: @escaping (MarinaModel) -> [Int]
    ) -> LiveShape {
      Self.shape(name, view, { make(yachts($0)) }, id) { elements(expected($0), $0) }
    }
    return [
      shape("all") {
        $0
      } _: {
        serials($0)
      },
      shape("rank") {
        $0.where { $0.rank > 4 }
      } _: {
        serials($0) { $0.rank > 4 }
      },
      shape("indexed") {
        $0.where { $0.rank == 3 }
      } _: {
        serials($0) { $0.rank == 3 }
      },
      shape("sorted") {
        $0.sorted(by: \.rank, ascending: false)
      } _: {
        serials($0, by: { [-Double($0.rank)] })
      },
      shape("two descriptors") {
        $0.where { $0.rank < 7 }.sorted(by: [
          SortDescriptor(keyPath: "weight", ascending: false), SortDescriptor(keyPath: "rank"),
        ])
      } _: {
        serials($0, where: { $0.rank < 7 }) {
          [$0.weight.map { -$0 } ?? .infinity, Double($0.rank)]
        }
      },
      shape("sorted twice") {
        $0.sorted(by: \.weight).sorted(by: \.rank)
      } _: {
        serials($0, by: { [Double($0.rank), key($0.weight)] })
      },
      shape("limit") {
        $0.sorted(by: \.rank).limit(5)
      } _: {
        Array(serials($0, by: { [Double($0.rank)] }).prefix(5))
      },
      shape("offset") {
        $0.sorted(by: \.rank).limit(4, offset: 2)
      } _: {
        Array(serials($0, by: { [Double($0.rank)] }).dropFirst(2).prefix(4))
      },
      shape("filtered limit") {
        $0.sorted(by: \.rank).limit(12).where { $0.weight > 1 }
      } _: { model in
        serials(model, by: { [Double($0.rank)] }).prefix(12)
          .filter { key(model.yachts[$0]?.weight) > 1 }
      },
      shape("distinct") {
        $0.distinct(by: [\.rank])
      } _: {
        distinct(serials($0), $0)
      },
      shape("distinct of an order") {
        $0.sorted(by: \.weight, ascending: false).distinct(by: [\.rank])
      } _: {
        distinct(serials($0, by: { [$0.weight.map { -$0 } ?? .infinity] }), $0)
      },
      shape("by distance") {
        $0.where { $0.rank > 1 }.sorted(byDistanceFrom: origin)
      } _: {
        serials($0, where: { $0.rank > 1 }, by: distance)
      },
      shape("nearest") {
        $0.nearest(4, to: origin)
      } _: {
        Array(serials($0, by: distance).prefix(4))
      },
    ]
  }

  /// A point on the equator west of all yachts, so that no two longitudes are at one distance.
  private static var origin: GeoPoint {
    guard let point = GeoPoint(latitude: 0, longitude: -1) else { preconditionFailure() }
    return point
  }

  private static func distance(_ yacht: YachtRow) -> [Double] {
    [yacht.longitude.map { $0 + 1 } ?? .infinity]
  }

  private static func distinct(_ serials: [Int], _ model: MarinaModel) -> [Int] {
    var ranks: Set<Int?> = []
    return serials.filter { ranks.insert(model.yachts[$0]?.rank).inserted }
  }

  // MARK: Results over links and collections

  private static func linked(_ view: MarinaView) -> [LiveShape] {
    func shape(
      _ predicate: String, _ matches: @escaping (YachtRow, MarinaModel) -> Bool
    ) -> LiveShape {
      Self.shape(predicate, view, { yachts($0).filter(predicate) }, id) { model in
        elements(serials(model) { matches($0, model) }, model)
      }
    }
    func ages(_ yacht: YachtRow, _ model: MarinaModel) -> [Int] {
      yacht.crew.compactMap { age($0, model) }
    }
    return [
      shape("captain.age > 4") { age($0.captain, $1).map { $0 > 4 } ?? false },
      shape("captain.friend.age > 4") { yacht, model in
        let friend = yacht.captain.flatMap { model.mates[$0]?.friend }
        return age(friend, model).map { $0 > 4 } ?? false
      },
      shape("galley.city == 'b'") { yacht, _ in yacht.galley?.city == "b" },
      shape("ANY crew.age > 6") { ages($0, $1).contains { $0 > 6 } },
      shape("crew.@count > 1") { yacht, _ in yacht.crew.count > 1 },
      shape("crew.@sum.age > 9") { ages($0, $1).reduce(0, +) > 9 },
      shape("'k1' IN tags") { yacht, _ in yacht.tags.contains("k1") },
      Self.shape(
        "sorted through a link", view,
        { yachts($0).where { $0.rank > 2 }.sorted(byKeyPath: "captain.age") }, id
      ) { model in
        let serials = serials(model, where: { $0.rank > 2 }) { yacht in
          // As in Realm, objects without the link are last in an ascending order.
          [age(yacht.captain, model).map { Double($0) } ?? .infinity]
        }
        return elements(serials, model)
      },
      Self.shape(
        "in a crew", view, { $0.objects(Mate.self).filter("yachts.@count > 0").sorted(by: \.age) },
        id
      ) { model in
        let crews = Set(model.yachts.values.flatMap(\.crew))
        return mates(byAge(model.mateSerials.filter(crews.contains), model), model)
      },
    ]
  }

  private static func byAge(_ serials: [Int], _ model: MarinaModel) -> [Int] {
    let order = serials.enumerated().sorted { first, second in
      let ages = (age(first.element, model) ?? 0, age(second.element, model) ?? 0)
      return ages.0 == ages.1 ? first.offset < second.offset : ages.0 < ages.1
    }
    return order.map(\.element)
  }

  // MARK: Key paths

  private static func keyPaths(_ view: MarinaView) -> [LiveShape] {
    func shape(
      _ keyPaths: [String], _ writes: @escaping (YachtRow, MarinaModel) -> [String]
    ) -> LiveShape {
      Self.shape(
        "key paths \(keyPaths)", view, keyPaths: keyPaths, { yachts($0).where { $0.rank < 8 } }, id
      ) { model in
        serials(model) { $0.rank < 8 }.map { serial in
          let text = model.yachts[serial].map { writes($0, model) } ?? []
          return LiveElement(id: "\(serial)", writes: "\(text)")
        }
      }
    }
    func number(_ name: String, _ yacht: YachtRow) -> String { "\(name)\(yacht.writes[name] ?? 0)" }
    func number(_ name: String, ofMate serial: Int?, _ model: MarinaModel) -> String {
      guard let serial, let mate = model.mates[serial] else { return "-" }
      return "m\(serial)\(mate.writes[name] ?? 0)"
    }
    return [
      shape(["rank"]) { yacht, _ in [number("rank", yacht)] },
      shape(["captain.age", "note"]) { yacht, model in
        [
          number("note", yacht), number("captain", yacht),
          number("age", ofMate: yacht.captain, model),
        ]
      },
      shape(["captain.friend.note"]) { yacht, model in
        let friend = yacht.captain.flatMap { model.mates[$0]?.friend }
        return [
          number("captain", yacht), number("friend", ofMate: yacht.captain, model),
          number("note", ofMate: friend, model),
        ]
      },
      shape(["crew"]) { yacht, _ in [number("crew", yacht)] },
      shape(["crew.age"]) { yacht, model in
        [number("crew", yacht)] + yacht.crew.map { number("age", ofMate: $0, model) }
      },
      shape(["galley.city"]) { yacht, _ in [number("galley", yacht), number("galley.city", yacht)]
      },
      Self.shape(
        "key path back", view, keyPaths: ["yachts.rank"], { $0.objects(Mate.self) }, id
      ) { model in
        model.mateSerials.map { mate in
          // A change of a crew is one for each of its members.
          let owners = model.yachtSerials.filter { model.yachts[$0]?.crew.contains(mate) ?? false }
          let writes = owners.compactMap { serial in
            model.yachts[serial].map { "\(serial)\(number("rank", $0))\(number("crew", $0))" }
          }
          return LiveElement(id: "\(mate)", writes: "\(writes)")
        }
      },
    ]
  }

  // MARK: Collections of an object

  private static func yacht(_ realm: Realm) -> Yacht? {
    realm.object(ofType: Yacht.self, forPrimaryKey: 1)
  }

  private static func row(_ model: MarinaModel) -> YachtRow? {
    model.yacht(id: 1).flatMap { model.yachts[$0] }
  }

  private static func owned(_ view: MarinaView) -> [LiveShape] {
    let owner: (MarinaModel) -> Int? = { $0.yacht(id: 1) }
    return [
      shape("list", view, owner: owner, replaces: true, { yacht($0)?.crew }, id) {
        mates(row($0)?.crew ?? [], $0)
      },
      shape("filtered list", view, owner: owner, { yacht($0)?.crew.where { $0.age > 3 } }, id) {
        model in
        mates((row(model)?.crew ?? []).filter { age($0, model).map { $0 > 3 } ?? false }, model)
      },
      shape("sorted list", view, owner: owner, { yacht($0)?.crew.sorted(byKeyPath: "age") }, id) {
        mates(byAge(row($0)?.crew ?? [], $0), $0)
      },
      shape("set", view, owner: owner, { yacht($0)?.tags }, { $0 }) {
        (row($0)?.tags ?? []).sorted().map { LiveElement(id: $0, writes: "") }
      },
      shape(
        "sorted set", view, owner: owner, { yacht($0)?.tags.sorted(ascending: false) }, { $0 }
      ) {
        (row($0)?.tags ?? []).sorted(by: >).map { LiveElement(id: $0, writes: "") }
      },
      shape(
        "linking objects", view, owner: { $0.mate(id: 1) },
        { $0.object(ofType: Mate.self, forPrimaryKey: 1)?.yachts }, id
      ) { model in
        let mate = model.mate(id: 1)
        // A yacht is listed once for each of its links.
        let owners = model.yachtSerials.flatMap { serial in
          (model.yachts[serial]?.crew ?? []).filter { $0 == mate }.map { _ in serial }
        }
        return elements(owners, model)
      },
    ]
  }

  // MARK: Sections, maps, properties

  private static func sections(_ view: MarinaView) -> [LiveShape] {
    func shape(
      _ name: String, _ make: @escaping (Results<Yacht>) -> SectionedResults<Int, Yacht>,
      _ key: @escaping (YachtRow) -> Int, by keys: @escaping (YachtRow) -> [Double]
    ) -> LiveShape {
      func text(_ sections: SectionedResults<Int, Yacht>) -> [String] {
        sections.map { section in "\(section.key): \(section.map { id($0) })" }
      }
      func expected(_ model: MarinaModel) -> [DeliveredSections.Section] {
        var sections: [DeliveredSections.Section] = []
        for element in elements(serials(model, where: { $0.rank > 0 }, by: keys), model) {
          let name = Int(element.id).flatMap { model.yachts[$0] }.map { "\(key($0))" } ?? "-"
          if let index = sections.firstIndex(where: { $0.key == name }) {
            sections[index].elements.append(element)
          } else {
            sections.append(.init(key: name, elements: [element]))
          }
        }
        return sections
      }
      let kept = Kept<SectionedResults<Int, Yacht>>()
      func sectioned(_ realm: Realm) -> SectionedResults<Int, Yacht> {
        make(yachts(realm).where { $0.rank > 0 })
      }
      return LiveShape(
        name, DeliveredSections(expected),
        read: { realm in
          let sections = kept.value ?? sectioned(realm)
          kept.value = sections
          return text(sections)
        },
        describe: { DeliveredSections.text(expected($0)) },
        start: { realm, shape in
          sectioned(realm).observe { [unowned shape] change in
            switch change {
            case .initial(let sections):
              shape.deliver(
                .init(now: text(sections), paths: nil), as: DeliveredSections.self, view.model)
            case .update(
              let sections, let deletions, let insertions, let modifications, let come, let gone):
              shape.deliver(
                .init(
                  now: text(sections), paths: [deletions, insertions, modifications], come: come,
                  gone: gone),
                as: DeliveredSections.self, view.model)
            }
          }
        })
    }
    return [
      shape("sections", { $0.sectioned(by: \.rank) }, { $0.rank }, by: { [Double($0.rank)] }),
      shape(
        "sections by a closure",
        { $0.sectioned(by: { $0.rank / 3 }, sortDescriptors: ["weight", "rank"]) },
        { $0.rank / 3 }, by: { [key($0.weight), Double($0.rank)] }),
    ]
  }

  private static func map<Value>(
    _ name: String, _ view: MarinaView, _ make: @escaping (Realm) -> Map<String, Value>?,
    _ id: @escaping (Value) -> String, _ expected: @escaping (MarinaModel) -> [String: LiveElement]
  ) -> LiveShape {
    func text(_ map: Map<String, Value>?) -> [String] {
      guard let map, !map.isInvalidated else { return [] }
      return map.keys.sorted().map { key in "\(key): \(map[key].map(id) ?? "none")" }
    }
    return LiveShape(
      name, owner: { $0.yacht(id: 1) }, DeliveredEntries(expected),
      read: { text(make($0)) }, describe: { DeliveredEntries.text(expected($0)) },
      start: { realm, shape in
        make(realm)?.observe { [unowned shape] change in
          switch change {
          case .initial(let map):
            shape.deliver(.init(now: text(map), keys: nil), as: DeliveredEntries.self, view.model)
          case .update(let map, let deletions, let insertions, let modifications):
            shape.deliver(
              .init(now: text(map), keys: [deletions, insertions, modifications]),
              as: DeliveredEntries.self, view.model)
          case .error: break
          }
        }
      })
  }

  private static func map(_ view: MarinaView) -> LiveShape {
    map("map", view, { yacht($0)?.marks }, { "\($0)" }) { model in
      (row(model)?.marks ?? [:]).mapValues { LiveElement(id: "\($0)", writes: "") }
    }
  }

  private static func mateMap(_ view: MarinaView) -> LiveShape {
    map("map of objects", view, { yacht($0)?.watches }, { MarinaText.link($0?.serial) }) { model in
      (row(model)?.watches ?? [:]).mapValues { mate in
        LiveElement(id: MarinaText.link(mate), writes: model.writes(toMate: mate, links: 4))
      }
    }
  }

  private static func properties(_ view: MarinaView) -> LiveShape {
    let names = [
      "note", "rank", "weight", "captain", "crew", "tags", "marks", "watches", "galley", "location",
    ]
    return LiveShape(
      "properties", owner: { $0.yacht(id: 1) },
      DeliveredProperties { model in
        guard let row = row(model) else { return [:] }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, row.writes[$0] ?? 0) })
      },
      read: { yacht($0).map { [MarinaText.content(of: $0)] } },
      describe: { model in model.yacht(id: 1).map { [model.content(ofYacht: $0)] } ?? [] },
      start: { realm, shape in
        yacht(realm)?.observe { [unowned shape] change in
          switch change {
          case .change(_, let properties):
            shape.deliver(
              properties.map(\.name).sorted(), as: DeliveredProperties.self, view.model)
          case .deleted: shape.deliver(nil, as: DeliveredProperties.self, view.model)
          case .error: break
          }
        }
      })
  }

  // MARK: Readings without observers

  /// A value that is read after each refresh, with its content computed from the model.
  struct Reading {
    let name: String
    let read: () -> [String]
    let expected: (MarinaModel) -> [String]
  }

  /// Contents, groups and joins of live results.
  static func readings(_ realm: Realm) -> [Reading] {
    let all = yachts(realm)
    let mates = realm.objects(Mate.self)
    let (few, groups) = (all.where { $0.rank > 2 }, all.where { $0.rank < 8 }.grouped(by: \.rank))
    let limit = Distance.degrees(1.5) ?? .zero
    func byRank(_ model: MarinaModel) -> [Int: [YachtRow]] {
      Dictionary(grouping: model.yachts.values.filter { $0.rank < 8 }, by: \.rank)
    }
    return [
      Reading(name: "contents of yachts") {
        all.map { MarinaText.content(of: $0) }
      } expected: {
        model in
        model.yachtSerials.map { model.content(ofYacht: $0) }
      },
      Reading(name: "contents of mates") {
        mates.map { MarinaText.content(of: $0) }
      } expected: {
        model in
        model.mateSerials.map { model.content(ofMate: $0) }
      },
      Reading(name: "groups") {
        groups.count().map { "\($0.key) \($0.value)" }
      } expected: { model in
        byRank(model).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.count)" }
      },
      Reading(name: "sums of groups") {
        groups.sum(of: \.note).map { "\($0.key) \($0.value)" }
      } expected: { model in
        byRank(model).sorted { $0.key < $1.key }.map { rank, rows in
          "\(rank) \(rows.reduce(0) { $0 + $1.note })"
        }
      },
      Reading(name: "join") {
        few.joined(to: all) { $0.location.geoDistance(to: $1.location) < limit }
          .map { "\($0.left.serial) \($0.right.serial)" }
      } expected: { model in
        serials(model) { $0.rank > 2 }.flatMap { left in
          model.yachtSerials.compactMap { right -> String? in
            guard left != right, let one = model.yachts[left]?.longitude,
              let other = model.yachts[right]?.longitude, abs(one - other) <= 1
            else { return nil }
            return "\(left) \(right)"
          }
        }
      },
      Reading(name: "aggregates") {
        [
          "\(few.count) \(few.sum(of: \.note)) \(few.max(of: \.rank) ?? 0) \((few.min(of: \.weight) ?? nil) ?? -1)"
        ]
      } expected: { model in
        let rows = serials(model) { $0.rank > 2 }.compactMap { model.yachts[$0] }
        let sum = rows.reduce(0) { $0 + $1.note }
        return [
          "\(rows.count) \(sum) \(rows.map(\.rank).max() ?? 0) \(rows.compactMap(\.weight).min() ?? -1)"
        ]
      },
    ]
  }
}
