import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Foundation
import Testing

/// The page about predicates shows what can be read.
@Suite struct DocumentationTests {
  @Test func `what the page shows in a fleet can be bound`() throws {
    let root = try #require(Fleet.schema["Boat"])
    for text in [
      "crew > 3 SORT(name ASC) LIMIT(10)", "crew <> 1 AND crew =< 3 || crew => 2", "crew <= seats",
      "crew IN {1, 2} OR crew BETWEEN {1, 5}", "log TEXT 'north* wind -calm'",
      "berth.site GEOWITHIN[planar] geoBox([1, 2], [3, 4])",
      "GEODISTANCE(berth.site, geometry('POINT (2 48)')) < 5km",
      "SOME trips.miles > 3 && ! crew = 1",
      "marks[0] == 1 AND marks[FIRST] == 1 AND marks[LAST] == 1",
      "specs['hp'] > 1 AND specs.hp > 1", "specs.@keys == 'hp' AND specs.@values == 1",
      "extra['k'][0] == 1 OR extra[*] == 1", "trips.@count > 1 AND name.@size > 1",
      "trips.@sum.miles > 3", "SUBQUERY(trips, $t, $t.miles > 10 AND $t.to != null).@count > 1",
      "@links.Boat.escort.crew > 1", "@links.@count > 1", "extra.@type == 'string'",
      "name == \"text\" AND draft == -1.5e3 AND draft != NaN AND draft < infinity",
      "fee == decimal(1.50) AND key == oid(000000000000000000000001)",
      "uid == uuid(00000000-0000-0000-0000-000000000001) AND blob == binary('a') AND blob == binary(B64\"aa==\")",
      "year(built) == 2013 AND built.year == 2013 AND built.second != 3",
      "built > now() - 86400 AND built - now() < 3600",
      "built == 2001-05-01@00:00:00:0 OR built == T988675200:0", "berth == obj('Harbor', 'AAR')",
      "TRUEPREDICATE SORT(name ASC, crew DESC) DISTINCT(name) LIMIT(10)",
      "marks == {1, 2} AND trips == {} AND trips == {objKey('Trip', 1)}",
      "specs == map('hp': 80, 'color': 'red') AND specs == {'hp': 80}",
      "berth.site == {'type': 'Point', 'coordinates': {10.2, 56.15}}",
      "berth.buoys == {{'type': 'Point'}, {'type': 'Point'}} AND ANY berth.buoys == {'type': 'Point'}",
      "extra == list(1, list(2), map('k': 3)) AND extra == {1, 2}",
    ] {
      do {
        _ = try QueryText(parsing: text).bound(to: Fleet.schema, root: root)
      } catch {
        Issue.record("\(text)\n\(error)")
      }
    }
  }
}
