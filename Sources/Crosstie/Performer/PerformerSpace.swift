/// The targets and resolvers of a bus's performer: never changed once readers can see it, replaced as a whole.
package struct PerformerSpace {
    /// Targets, of which most stand for all behind them, too.
    private var allowed: Set<[UInt8]> = []
    /// The registrations of the resolvers, by their prefixes.
    private var resolvers: [[UInt8]: UInt32]

    package typealias Pointer = UnsafeMutablePointer<PerformerSpace>

    /// The most targets that may be allowed.
    package static var maximumAllowed: Int { 4096 }
    /// The most prefixes that may have a resolver beside the library's own.
    package static var maximumResolvers: Int { 64 }

    /// One with the library's own resolvers.
    init(own: [[UInt8]: UInt32]) { resolvers = own }

    /// The prefixes whose resolvers are the library's own.
    static var ownPrefixes: [[UInt8]] { [CSymbols.prefix, SwiftPerformers.prefix] }

    /// Whether the resolver that a target is for is the library's own, which a bus has before anything is allowed.
    static func isOwn(_ target: UnsafeRawBufferPointer) -> Bool {
        guard let prefixSize = PerformTarget.prefixSize(of: target) else { return false }
        return ownPrefixes.contains { $0.elementsEqual(target[..<prefixSize]) }
    }

    // MARK: reading

    /// Whether a target may be performed: a C symbol if it is listed itself, any other target also below a listed one
    /// and a colon.
    func allows(_ target: UnsafeRawBufferPointer) -> Bool {
        guard let prefixSize = PerformTarget.prefixSize(of: target) else { return false }
        if allowed.contains(Array(target)) { return true }
        guard !target[..<prefixSize].elementsEqual(CSymbols.prefix) else { return false }
        return target.indices.contains { end in
            end > prefixSize && target[end] == PerformTarget.colon && allowed.contains(Array(target[..<end]))
        }
    }

    /// The registration of the resolver that a target is for; 0 for none.
    func resolver(of target: UnsafeRawBufferPointer) -> UInt32 {
        guard let prefixSize = PerformTarget.prefixSize(of: target) else { return 0 }
        return resolvers[Array(target[..<prefixSize])] ?? 0
    }

    func resolver(ofPrefix prefix: [UInt8]) -> UInt32 { resolvers[prefix] ?? 0 }

    var registrations: [UInt32] { Array(resolvers.values) }

    // MARK: changing a copy

    /// Allows a target. False when it is allowed already.
    mutating func allow(_ target: [UInt8]) throws(CrosstieError) -> Bool {
        guard !allowed.contains(target) else { return false }
        guard allowed.count < Self.maximumAllowed else {
            throw CrosstieError(.limitExceeded, "a bus allows at most \(Self.maximumAllowed) targets", at: "target")
        }
        allowed.insert(target)
        return true
    }

    /// Whether a prefix may get a resolver.
    func hasRoom(forPrefix prefix: [UInt8]) -> Bool {
        resolvers[prefix] != nil || resolvers.count < Self.maximumResolvers + Self.ownPrefixes.count
    }

    /// Gives a prefix its resolver; 0 takes it away. Gives the one before; 0 for none.
    mutating func set(_ prefix: [UInt8], to registration: UInt32) -> UInt32 {
        defer { resolvers[prefix] = registration == 0 ? nil : registration }
        return resolvers[prefix] ?? 0
    }
}
