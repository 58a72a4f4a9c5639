import Crosstie

/// The index of a list's item as a key.
struct IndexKey: CodingKey {
    let intValue: Int?
    var stringValue: String { intValue.map { "\($0)" } ?? "" }

    init(_ index: Int) { intValue = index }

    init?(intValue: Int) { self.init(intValue) }

    init?(stringValue: String) { return nil }
}
