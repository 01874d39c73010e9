import CadastreModel
public import Foundation

/// A type of properties with parts of dates: `Date`, its optional, and collections of dates.
public protocol DateProperty {}

extension Date: DateProperty {}
extension Optional: DateProperty where Wrapped == Date {}
extension List: DateProperty where Element: DateProperty {}
extension MutableSet: DateProperty where Element: DateProperty {}
extension Map: DateProperty where Value: DateProperty {}

/// Parts of a date in UTC and the Gregorian calendar.
///
///     realm.objects(Airport.self).where { $0.opened.year == 2013 }
///     realm.objects(Airport.self).where { $0.opened.month.in([6, 7, 8]) }
///
/// Parts of null are null. A comparison of a year with constants is a range of dates, which an index on the
/// property supports.
extension Query where Value: DateProperty {
  /// The year; 0 is the year before 1.
  public var year: Query<Int> { part(.year) }

  /// The month, from 1 to 12.
  public var month: Query<Int> { part(.month) }

  /// The day of the month, from 1 to 31.
  public var day: Query<Int> { part(.day) }

  /// The hour, from 0 to 23.
  public var hour: Query<Int> { part(.hour) }

  /// The minute, from 0 to 59.
  public var minute: Query<Int> { part(.minute) }

  /// The second without its fraction, from 0 to 59.
  public var second: Query<Int> { part(.second) }

  private func part(_ part: CalendarPart) -> Query<Int> {
    Query<Int>(.path(queryPath.appending(.date(part))))
  }
}
