import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreMaps

/// Names of objects on a map, and the map as a page.
@Suite struct MapLabelTests {
  private func number(_ name: String, in element: Substring) -> Double? {
    element.firstRange(of: " \(name)=\"").flatMap { range in
      Double(element[range.upperBound...].prefix { $0 != "\"" })
    }
  }

  @Test(arguments: 1...5) func `names overlap neither each other nor the border`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let points = (0..<300).map { _ in
      MapPoint(longitude: random.number(0...10), latitude: random.number(40...50))
    }
    var map = MapSVG(title: "names")
    map.labels = points.enumerated().map {
      MapLabel(String(repeating: "x", count: 1 + $0 % 17), at: $1, isOfArea: $0 % 5 == 0)
    }
    let frame = map.frame(points)
    var layout = LabelLayout(frame, dotRadius: 2)
    let names = map.labels(&layout)
    var boxes: [(x: ClosedRange<Double>, y: ClosedRange<Double>)] = []
    for element in names.split(separator: "\n") where element.hasPrefix("<text") {
      let x = try #require(number("x", in: element)) + #require(number("dx", in: element))
      let y = try #require(number("y", in: element)) + #require(number("dy", in: element))
      // Narrower than the layout takes it, for the rounding of positions.
      let width = Double(element.drop { $0 != ">" }.filter { $0 == "x" }.count - 1) * 6.2 - 0.5
      let left = element.contains("start") ? x : element.contains("end") ? x - width : x - width / 2
      boxes.append((left...(left + max(width, 1)), (y - 9)...(y + 1)))
    }
    #expect(boxes.count > 30)
    for (index, box) in boxes.enumerated() {
      #expect(box.x.lowerBound >= -1 && box.x.upperBound <= frame.width + 1)
      for other in boxes[..<index] {
        #expect(!(box.x.overlaps(other.x) && box.y.overlaps(other.y)), "seed \(seed)")
      }
    }
  }

  @Test func `without names there is no element for them`() {
    let svg = MapSVG(title: "t").text([MapPoint(longitude: 1, latitude: 1)])
    #expect(!svg.contains("names"))
  }

  @Test func `a page has the drawing and its names, and no name ends the script`() throws {
    let point = MapPoint(longitude: 2, latitude: 48)
    var map = MapSVG(title: "<Docks> & \"more\"")
    map.labels = [
      MapLabel("</script><b>\\\"\u{1}\u{2028}", at: point), MapLabel("\u{1F6A2}é", at: point),
      MapLabel("outside", at: MapPoint(longitude: -100, latitude: -80)),
    ]
    let page = map.page([point])
    #expect(MapSVG.isPage(Array(page.utf8)) && !MapSVG.isMap(Array(page.utf8)))
    #expect(!MapSVG.isPage(Array(map.text([point]).utf8)))
    #expect(page.components(separatedBy: "</script>").count == 2)
    #expect(page.contains("<title>&lt;Docks&gt; &amp; &quot;more&quot;</title>"))
    #expect(page.contains(map.text([point])))
    #expect(!page.contains("http:/" + "/") || !page.contains("src="))
    let start = try #require(page.range(of: "const names = "))
    let end = try #require(page.range(of: "];\n", range: start.upperBound..<page.endIndex))
    let json = page[start.upperBound..<end.lowerBound] + "]"
    let names = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[Any]]
    #expect(names?.map { $0[2] as? String } == ["</script><b>\\\"\u{1}\u{2028}", "\u{1F6A2}é"])
  }
}
