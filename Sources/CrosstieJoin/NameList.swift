/// The names that a join exports or imports: components, actions, events and URLs.
struct NameList {
    let names: [String]
    /// Components, `component.action`, and `event:` with its name.
    private let set: Set<String>
    /// By scheme.
    private let urls: [String: [URLPrefix]]
    private let hasAll: Bool

    static var maximumCount: Int { Frame.Limit.names }
    static var maximumSize: Int { 2 * Name.maximumSize + 1 }
    /// Bytes of all names together.
    static var maximumTotal: Int { 65_536 }
    private static var event: String { "event:" }
    /// In no name of a component or action.
    private static var colon: UInt8 { 0x3A }

    static var none: NameList { NameList([], hasAll: false) }

    private init(_ names: [String], hasAll: Bool) {
        (self.names, self.hasAll) = (names, hasAll)
        set = Set(names)
        urls = Dictionary(grouping: names.compactMap(URLPrefix.init), by: \.scheme)
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
            } else if let problem = NameList.problem(in: name) {
                throw CrosstieError(
                    .invalidIdentifier, "\(Quotation.quoted(name)) \(problem)", at: "options.\(field)[\(index)]")
            }
        }
        self.init(names, hasAll: hasAll)
    }

    /// The names of a peer, which the decoder has checked.
    init(of peer: [String]) { self.init(peer, hasAll: false) }

    // MARK: Form

    /// Whether a peer's bytes have the form of an exported name.
    static func isValid(_ name: UnsafeRawBufferPointer) -> Bool {
        isUTF8(name) && problem(in: String(decoding: name, as: UTF8.self)) == nil
    }

    /// For people; nil for a name of the right form.
    private static func problem(in name: String) -> String? {
        guard name.utf8.count <= maximumSize else { return "is longer than \(maximumSize) bytes" }
        if URLPrefix.hasForm(name) {
            return URLPrefix(name) == nil ? "is no scheme://, scheme://host/path or scheme://host/path/*" : nil
        }
        if name.utf8.starts(with: event.utf8) {
            let event = String(decoding: name.utf8.dropFirst(event.utf8.count), as: UTF8.self)
            return Name.isValid(event) ? nil : "names no event"
        }
        return isName(name.utf8) ? nil : "is no component, component.action, event:name or URL"
    }

    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first else { return false }
        return (isLetter(first) || first == 0x5F) && name.allSatisfy { isLetter($0) || isDigit($0) || isMark($0) }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// An underscore, a dot or a hyphen.
    private static func isMark(_ byte: UInt8) -> Bool { byte == 0x5F || byte == 0x2E || byte == 0x2D }

    // MARK: Looking up

    /// Whether the list has what a request asks for.
    func has(_ wanted: borrowing Wanted) -> Bool {
        if hasAll { return true }
        switch wanted {
        case .action(let component, let action):
            if set.isEmpty { return false }
            let name = String(decoding: component, as: UTF8.self)
            return set.contains(name) || set.contains(name + "." + String(decoding: action, as: UTF8.self))
        case .event(let name): return hasEvent(name)
        case .url(let scheme, let segments):
            if urls.isEmpty { return false }
            return urls[String(decoding: scheme, as: UTF8.self)]?.contains { $0.takes(segments) } == true
        }
    }

    /// The first of these names that have room in a list.
    static func fitting(_ names: [String]) -> [String] {
        var room = maximumTotal
        return Array(
            names.prefix(maximumCount).prefix { name in
                room -= name.utf8.count
                return room >= 0
            })
    }

    func covers(all names: [String]) -> Bool { names.allSatisfy(set.contains) }

    /// Whether the list has an action, by `component.action`.
    func covers(_ action: String) -> Bool { set.contains(action) || NameList.hasPart(action, of: set) }

    func hasEvent(_ name: String) -> Bool { hasAll || set.contains(NameList.event + name) }

    /// The components and actions of a peer's names that this list, of imports, covers.
    func covered(of exports: NameList) -> [String] {
        let offered = exports.names.filter { !$0.utf8.contains(NameList.colon) }
        if hasAll { return offered }
        let wanted = set.filter { !$0.utf8.contains(NameList.colon) }
        let whole = offered.filter { wanted.contains($0) || NameList.hasPart($0, of: wanted) }
        return whole + wanted.filter { !exports.set.contains($0) && NameList.hasPart($0, of: exports.set) }.sorted()
    }

    /// Whether a name is an action of a component among others.
    private static func hasPart(_ name: String, of others: Set<String>) -> Bool {
        name.utf8.indices.contains { name.utf8[$0] == 0x2E && others.contains(String(name[..<$0])) }
    }
}
