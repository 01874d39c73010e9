/// Objects of a map in one colour, with a label in the legend.
package struct MapGroup: Sendable {
  /// The text in the legend; empty for none.
  package var label: String
  /// The colour in CSS: `#0072b2`.
  package var colour: String
  /// The points.
  package var points: [MapPoint]
  /// The lines and polygons.
  package var shapes: [MapShape]
  /// The values that decide the sizes of the points, one for each; empty for one size.
  package var sizes: [Double] = []

  /// Creates a group.
  package init(label: String, colour: String, points: [MapPoint], shapes: [MapShape] = []) {
    self.label = label
    self.colour = colour
    self.points = points
    self.shapes = shapes
  }
}

/// Colours of groups that people with colour blindness can tell apart.
package enum MapPalette {
  /// Colours for categories without an order.
  ///
  /// Source: M. Okabe, K. Ito, "Color Universal Design", 2008.
  package static let categories = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
  ]
  /// The colour of everything else.
  package static let other = "#9a9a9a"
  /// Colours for classes of numbers, from the least to the greatest: steps of viridis.
  ///
  /// Source: S. van der Walt, N. Smith, "A Better Default Colormap for Matplotlib", 2015.
  package static let classes = ["#440154", "#3b528b", "#21918c", "#5ec962", "#e8c51d"]
}
