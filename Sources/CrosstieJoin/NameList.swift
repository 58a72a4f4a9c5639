/// The names that a join exports or imports.
struct NameList {
    let names: [String]
    private let set: Set<String>
    private let hasAll: Bool

    static var maximumCount: Int { 1024 }
    static var maximumSize: Int { 2 * Name.maximumSize + 1 }
    /// Bytes of all names together.
    static var maximumTotal: Int { 65_536 }

    static var none: NameList { NameList([], hasAll: false) }

    private init(_ names: [String], hasAll: Bool) {
        (self.names, self.hasAll) = (names, hasAll)
        set = Set(names)
    }

    /// Checks names of the host.
    init(checking names: [String], _ field: StaticString, allowsAll: Bool) throws(CrosstieError) {
        guard names.count <= NameList.maximumCount else {
            throw CrosstieError(.limitExceeded, "over \(NameList.maximumCount) names", at: "options.\(field)")
        }
        guard names.reduce(0, { $0 &+ $1.utf8.count }) <= NameList.maximumTotal else {
            throw CrosstieError(.limitExceeded, "names of over \(NameList.maximumTotal) bytes", at: "options.\(field)")
        }
        var hasAll = false
        for (index, name) in names.enumerated() {
            if allowsAll, name == "*" {
                hasAll = true
            } else if !NameList.isValid(name.utf8) {
                throw CrosstieError(
                    .invalidIdentifier, "\(Quotation.quoted(name)) is no component or component.action",
                    at: "options.\(field)[\(index)]")
            }
        }
        self.init(names, hasAll: hasAll)
    }

    /// The names of a peer, which the decoder has checked.
    init(of peer: [String]) { self.init(peer, hasAll: false) }

    /// Whether bytes have the form of an exported name.
    static func isValid(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first, name.count <= maximumSize else { return false }
        return (isLetter(first) || first == 0x5F) && name.allSatisfy { isLetter($0) || isDigit($0) || isMark($0) }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// An underscore, a dot or a hyphen.
    private static func isMark(_ byte: UInt8) -> Bool { byte == 0x5F || byte == 0x2E || byte == 0x2D }

    /// Whether the list has a component, or this action of it.
    func has(_ component: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer) -> Bool {
        if hasAll { return true }
        if set.isEmpty { return false }
        let name = String(decoding: component, as: UTF8.self)
        return set.contains(name) || set.contains(name + "." + String(decoding: action, as: UTF8.self))
    }
}
