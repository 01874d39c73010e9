/// Pages that show the content of a JSON object: links, values and lists.
enum DataPage {
  /// The text of a page.
  static func text(_ title: String, _ object: JSONObject) -> String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title))</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{font-weight:600}dd{margin:0}
    ul{padding-left:1.2rem;margin:0}</style></head>
    <body><p><a href="/">Explorer</a> · <a href="/collections?f=html">Collections</a></p>
    <h1>\(escaped(title))</h1>
    \(html(.object(object)))
    </body></html>
    """
  }

  private static func html(_ item: JSONItem) -> String {
    switch item {
    case .object(let object):
      if case .string(let address)? = object["href"] {
        let title = if case .string(let text)? = object["title"] { text } else { address }
        let relation =
          if case .string(let text)? = object["rel"] { " (\(escaped(text)))" } else { "" }
        return "<a href=\"\(escaped(address))\">\(escaped(title))</a>\(relation)"
      }
      let members = object.all.map { "<dt>\(escaped($0.name))</dt><dd>\(html($0.item))</dd>" }
      return "<dl>\(members.joined())</dl>"
    case .list(let items):
      return "<ul>\(items.map { "<li>\(html($0))</li>" }.joined())</ul>"
    case .string(let text): return escaped(text)
    default: return escaped(item.text)
    }
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
