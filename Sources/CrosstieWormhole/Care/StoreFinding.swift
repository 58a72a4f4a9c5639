/// Something that is wrong with a store, or could not be kept.
package struct StoreFinding: Equatable, Sendable {
    /// The kind of record, or `pages`, `wakeups`, `store`.
    package let record: String
    /// Which one: its key in a form for people, or a page's number. May be empty.
    package let location: String
    package let why: String

    init(_ record: String, _ location: String, _ why: String) {
        self.record = record
        self.location = location
        self.why = why
    }

    init(_ key: UnsafeRawBufferPointer, _ why: String) {
        self.init(RecordKind.name(of: key), RecordKind.location(key), why)
    }
}
