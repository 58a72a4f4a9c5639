import CCrosstie
import Crosstie

/// The sizes that older headers may have given a struct, which only grows at its end. Every multiple of 8 is allowed,
/// even if it splits fields that were added together, such as a text and its length; a size that ends in the middle of
/// 8 bytes only if a field ends there.
struct OptionSizes {
    /// No struct of options will ever be longer.
    private static let longest = 1024

    private let name: StaticString
    private let first: Int
    private let halves: UInt64

    /// - Parameters:
    ///   - first: the least size, at which the first field after the size ends.
    ///   - halves: the words of 8 bytes in whose middle a field ends. Splitting any other word would halve a pointer.
    init(_ name: StaticString, first: Int, halves: UInt64 = 0) {
        (self.name, self.first, self.halves) = (name, first, halves)
    }

    /// Whether a struct of another size than ours has all fields of ours.
    @inline(never)
    func isWhole(_ raw: UnsafeRawPointer, isAligned: Bool, ours: Int) throws(CrosstieError) -> Bool {
        guard isAligned else { throw CrosstieError(.invalidArgument, "the options are not aligned", at: "options") }
        let size = raw.load(as: Int.self)
        guard size >= first, size <= Self.longest, size > ours || endsField(size) else {
            throw CrosstieError(.invalidArgument, "\(name) has never had \(size) bytes", at: "options.size")
        }
        guard size > ours else { return false }
        guard (ours..<size).allSatisfy({ raw.load(fromByteOffset: $0, as: UInt8.self) == 0 }) else {
            throw CrosstieError(
                .incompatibleABI, "\(name) has \(size) bytes, of a newer header than this library, which knows \(ours)",
                at: "options.size")
        }
        return true
    }

    private func endsField(_ size: Int) -> Bool {
        size % 8 == 0 || (size % 8 == 4 && halves >> UInt64(truncatingIfNeeded: size / 8) & 1 == 1)
    }
}

/// The sizes for each struct. The bad-argument test generated from the headers tries each struct at each of them.
extension OptionSizes {
    static var bus: OptionSizes { OptionSizes("ctie_bus_options", first: 24, halves: 1 << 5 | 1 << 6) }
    static var component: OptionSizes { OptionSizes("ctie_component_options", first: 12, halves: 1 << 1) }
    static var declaration: OptionSizes { OptionSizes("ctie_declaration", first: 12, halves: 1 << 1) }
    static var dispatcher: OptionSizes { OptionSizes("ctie_dispatcher_options", first: 12, halves: 1 << 1) }
    static var durable: OptionSizes { OptionSizes("ctie_durable_options", first: 12, halves: 1 << 1 | 1 << 10) }
    static var engine: OptionSizes { OptionSizes("ctie_engine", first: 16) }
    static var foreignType: OptionSizes { OptionSizes("ctie_foreign_type", first: 24) }
    static var handler: OptionSizes { OptionSizes("ctie_handler_options", first: 12, halves: 1 << 1) }
    static var interceptor: OptionSizes { OptionSizes("ctie_interceptor_options", first: 12, halves: 1 << 1 | 1 << 3) }
    static var instance: OptionSizes { OptionSizes("ctie_instance_options", first: 24, halves: 1 << 5) }
    static var join: OptionSizes { OptionSizes("ctie_join_options", first: 24, halves: 1 << 9) }
    static var listen: OptionSizes { OptionSizes("ctie_listen_options", first: 24, halves: 1 << 3) }
    static var opener: OptionSizes { OptionSizes("ctie_system_opener_options", first: 12, halves: 1 << 1) }
    static var provider: OptionSizes { OptionSizes("ctie_provider", first: 24, halves: 1 << 3) }
    static var request: OptionSizes { OptionSizes("ctie_request_options", first: 16, halves: 1 << 5 | 1 << 10) }
    static var route: OptionSizes { OptionSizes("ctie_route_options", first: 12, halves: 1 << 1) }
    static var rules: OptionSizes { OptionSizes("ctie_rules_options", first: 12, halves: 1 << 1) }
    static var runtime: OptionSizes { OptionSizes("ctie_runtime", first: 16) }
    static var send: OptionSizes { OptionSizes("ctie_send_options", first: 12, halves: 1 << 1) }
    static var systemProvider: OptionSizes { OptionSizes("ctie_system_provider_options", first: 12, halves: 1 << 1) }
    static var transport: OptionSizes { OptionSizes("ctie_transport", first: 16, halves: 1 << 10) }
    static var wormhole: OptionSizes { OptionSizes("ctie_wormhole_options", first: 24, halves: 1 << 7 | 1 << 40) }
}
