import CadastreFormatting
import Foundation

/// A map as a self-contained HTML file with pan and zoom.
extension MapSVG {
  private static let pageSignature = "<meta name=\"generator\" content=\"cadastre\">"

  /// Returns whether the first bytes of a file identify a page with a map.
  package static func isPage(_ first: [UInt8]) -> Bool {
    let head = String(decoding: first.prefix(1024), as: UTF8.self)
    return head.hasPrefix("<!doctype html>") && head.contains(pageSignature)
  }

  /// Returns the map of points as an HTML page.
  ///
  /// The page has the drawing of ``text(_:)`` and up to 50,000 labels for the pointer, also labels without
  /// room on the map. The page loads no other resources.
  ///
  /// - Complexity: O(n log n) in the number of points.
  package func page(_ points: [MapPoint]) -> String {
    let frame = frame(points)
    let names = labels.prefix(50_000).compactMap { label -> String? in
      guard let (x, y) = frame.position(label.point) else { return nil }
      return "[\(number(x)),\(number(y)),\(Self.json(label.text))]"
    }
    let extent = [frame.west, frame.east, frame.south, frame.north, frame.width, frame.height]
    let origin = [Self.side, Self.top]
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      \(Self.pageSignature)
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
      <title>\(escaped(title))</title>
      <style>
      html, body { margin: 0; height: 100%; background: #fff;
        font: 14px 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif; color: #1c2733 }
      #map { width: 100%; height: 100%; overflow: hidden; touch-action: none; cursor: grab }
      #map:active { cursor: grabbing }
      #map > svg { width: 100%; height: 100%; display: block }
      nav { position: fixed; right: 12px; top: 12px; display: grid; gap: 4px }
      button { width: 34px; height: 34px; font-size: 18px; border: 1px solid #8a97a3; border-radius: 4px;
        background: #fff; color: #1c2733 }
      output { position: fixed; left: 12px; bottom: 12px; padding: 3px 7px; border-radius: 4px;
        background: rgba(255, 255, 255, .85) }
      </style>
      </head>
      <body>
      <div id="map" tabindex="0" role="application" aria-label="\(escaped(title))">
      \(text(points))</div>
      <nav><button id="in" aria-label="Zoom in">+</button>\
      <button id="out" aria-label="Zoom out">−</button>\
      <button id="all" aria-label="Show all">⤢</button></nav>
      <output id="place" aria-live="polite"></output>
      <script>
      "use strict";
      const extent = [\(extent.map { "\($0)" }.joined(separator: ","))];
      const origin = [\(origin.map { "\($0)" }.joined(separator: ","))];
      const names = [\(names.joined(separator: ",\n"))];
      \(Self.script)
      </script>
      </body>
      </html>

      """
  }

  /// Returns a text as a JSON string that cannot end a script element.
  private static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "<", ">", "&", "\u{2028}", "\u{2029}", "\u{0}"..."\u{1F}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The script that pans and zooms the drawing by its `viewBox`, and shows the location under the pointer.
  private static let script = """
    const map = document.getElementById("map"), svg = map.querySelector("svg");
    const place = document.getElementById("place");
    const home = svg.getAttribute("viewBox").split(" ").map(Number);
    let view = home.slice();
    // Dots, borders and names keep their size on the screen.
    const thin = [...svg.querySelectorAll("[stroke-width]")]
      .map(e => [e, Number(e.getAttribute("stroke-width"))]);
    const discs = [...svg.querySelectorAll("#dots circle")].map(e => [e, Number(e.getAttribute("r"))]);
    const texts = [...svg.querySelectorAll("#names text, #countries text")]
      .map(e => [e, Number(e.getAttribute("x")), Number(e.getAttribute("y"))]);
    function show() {
      const scale = view[2] / home[2];
      svg.setAttribute("viewBox", view.map(n => n.toFixed(4)).join(" "));
      for (const [element, width] of thin) element.setAttribute("stroke-width", width * scale);
      for (const [element, radius] of discs) element.setAttribute("r", radius * scale);
      for (const [element, x, y] of texts)
        element.setAttribute("transform", `translate(${x} ${y}) scale(${scale}) translate(${-x} ${-y})`);
    }
    function point(event) {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return [p.x, p.y];
    }
    function zoom(factor, x, y) {
      const width = Math.min(home[2], Math.max(home[2] / 5000, view[2] * factor)), by = width / view[2];
      view = [x - (x - view[0]) * by, y - (y - view[1]) * by, width, view[3] * by];
      if (width === home[2]) view = home.slice();
      show();
    }
    const middle = () => [view[0] + view[2] / 2, view[1] + view[3] / 2];
    map.addEventListener("wheel", event => {
      event.preventDefault();
      zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 200), ...point(event));
    }, { passive: false });
    map.addEventListener("dblclick", event => zoom(0.5, ...point(event)));
    const held = new Map();
    map.addEventListener("pointerdown", event => { map.setPointerCapture(event.pointerId); held.set(event.pointerId, event); });
    for (const end of ["pointerup", "pointercancel"]) map.addEventListener(end, event => held.delete(event.pointerId));
    map.addEventListener("pointermove", event => {
      const before = held.get(event.pointerId);
      if (before) {
        const [x0, y0] = point(before), [x1, y1] = point(event);
        if (held.size === 1) { view[0] += x0 - x1; view[1] += y0 - y1; show(); }
        else {
          const other = point([...held.values()].find(e => e.pointerId !== event.pointerId));
          const length = (x, y) => Math.hypot(x - other[0], y - other[1]) || 1;
          zoom(length(x0, y0) / length(x1, y1), ...other);
        }
        held.set(event.pointerId, event);
        return;
      }
      describe(...point(event));
    });
    function describe(x, y) {
      x -= origin[0]; y -= origin[1];
      const [west, east, south, north, width, height] = extent;
      if (x < 0 || y < 0 || x > width || y > height) { place.textContent = ""; return; }
      let best = 12 * view[2] / home[2], name = "";
      for (const [nx, ny, text] of names) {
        const distance = Math.hypot(nx - x, ny - y);
        if (distance < best) { best = distance; name = text + "  "; }
      }
      const longitude = west + x / width * (east - west), latitude = north - y / height * (north - south);
      const turned = ((longitude + 180) % 360 + 360) % 360 - 180;
      place.textContent = `${name}${latitude.toFixed(4)}, ${turned.toFixed(4)}`;
    }
    map.addEventListener("keydown", event => {
      const step = view[2] / 10, moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (moves[event.key]) { view[0] += moves[event.key][0]; view[1] += moves[event.key][1]; show(); }
      else if (event.key === "+" || event.key === "=") zoom(0.7, ...middle());
      else if (event.key === "-") zoom(1 / 0.7, ...middle());
      else if (event.key === "0") { view = home.slice(); show(); }
      else return;
      event.preventDefault();
    });
    document.getElementById("in").onclick = () => zoom(0.6, ...middle());
    document.getElementById("out").onclick = () => zoom(1 / 0.6, ...middle());
    document.getElementById("all").onclick = () => { view = home.slice(); show(); };
    """
}
