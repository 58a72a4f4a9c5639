import CCrosstie
import Crosstie

/// A C struct whose first field is its size, and which only grows at its end.
protocol SizedStruct {
    init()
    static var sizes: OptionSizes { get }
}

/// The sizes that older headers may have given a struct: any at which a field ends.
struct OptionSizes {
    /// No struct of options will ever be longer.
    private static let longest = 1024

    private let name: StaticString
    private let first: Int
    private let halves: UInt32

    /// - Parameters:
    ///   - first: the least size, at which the first field after the size ends.
    ///   - halves: the words (of 8 bytes) in whose middle a field ends. To cut any other would halve a pointer.
    init(_ name: StaticString, first: Int, halves: UInt32 = 0) {
        (self.name, self.first, self.halves) = (name, first, halves)
    }

    /// Whether a struct of another size than ours has all that ours has.
    @inline(never)
    func isWhole(_ raw: UnsafeRawPointer, isAligned: Bool, ours: Int) throws(CrosstieError) -> Bool {
        guard isAligned else { throw CrosstieError(.invalid, "the options are not aligned", at: "options") }
        let size = raw.load(as: Int.self)
        guard size >= first, size <= Self.longest, size > ours || endsField(size) else {
            throw CrosstieError(.invalid, "\(name) has never had this size", at: "options.size")
        }
        guard size > ours else { return false }
        guard (ours..<size).allSatisfy({ raw.load(fromByteOffset: $0, as: UInt8.self) == 0 }) else {
            throw CrosstieError(.abi, "\(name) is of a newer header than this library", at: "options.size")
        }
        return true
    }

    private func endsField(_ size: Int) -> Bool {
        size % 8 == 0 || (size % 8 == 4 && halves >> UInt32(truncatingIfNeeded: size / 8) & 1 == 1)
    }
}

// The program of bad arguments that is written from the headers tries each struct at each of its sizes.

extension ctie_bus_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_bus_options", first: 24, halves: 1 << 5 | 1 << 6) }
}
extension ctie_component_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_component_options", first: 12, halves: 1 << 1) }
}
extension ctie_declaration: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_declaration", first: 12, halves: 1 << 1) }
}
extension ctie_dispatcher_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_dispatcher_options", first: 12, halves: 1 << 1) }
}
extension ctie_durable_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_durable_options", first: 12, halves: 1 << 1 | 1 << 10) }
}
extension ctie_foreign_type: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_foreign_type", first: 24) }
}
extension ctie_handler_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_handler_options", first: 12, halves: 1 << 1) }
}
extension ctie_interceptor_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_interceptor_options", first: 12, halves: 1 << 1 | 1 << 3) }
}
extension ctie_listen_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_listen_options", first: 24, halves: 1 << 3) }
}
extension ctie_opener_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_opener_options", first: 12, halves: 1 << 1) }
}
extension ctie_provider: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_provider", first: 24, halves: 1 << 3) }
}
extension ctie_request_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_request_options", first: 16, halves: 1 << 5 | 1 << 10) }
}
extension ctie_route_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_route_options", first: 12, halves: 1 << 1) }
}
extension ctie_rules_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_rules_options", first: 12, halves: 1 << 1) }
}
extension ctie_runtime: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_runtime", first: 16) }
}
extension ctie_send_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_send_options", first: 12, halves: 1 << 1) }
}
extension ctie_system_provider_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_system_provider_options", first: 12, halves: 1 << 1) }
}
extension ctie_transport: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_transport", first: 16) }
}
extension ctie_wormhole_options: SizedStruct {
    static var sizes: OptionSizes { OptionSizes("ctie_wormhole_options", first: 24, halves: 1 << 7) }
}
