import ArgumentParser
import CrosstieJoin
import Synchronization

/// The tool's own bus, joined to groups.
struct JoinedBus {
    let bus: Bus
    private let joins: [Join]

    init(_ wormholes: [Wormhole]) throws {
        bus = try Bus(options: BusOptions(name: "crosstie"))
        let bus = bus
        joins = try wormholes.map { wormhole throws(CrosstieError) in
            var options = JoinOptions()
            (options.name, options.imports) = ("crosstie", ["*"])
            return try bus.join(wormhole, options: options)
        }
    }

    /// Waits for the response to a request that `start` makes. A signal cancels the request, then ends the program.
    func response(_ start: (Bus, @escaping @Sendable (Response) -> Void) throws -> Call) throws -> Response {
        defer { withExtendedLifetime(joins) {} }
        Interruption.heedSignals()
        let answer = Answer()
        let call = try start(bus) { answer.take($0) }
        Interruption.wait()
        guard let response = answer.response else {
            // The response of the cancelled call may come at once. It is no answer: the signal ends the program.
            call.cancel()
            bus.close()
            Interruption.follow()
            throw ExitCode(1)
        }
        return response
    }

    private final class Answer: Sendable {
        private let taken = Mutex<Response?>(nil)

        var response: Response? { taken.withLock { $0 } }

        func take(_ response: Response) {
            taken.withLock { $0 = $0 ?? response }
            Interruption.come()
        }
    }
}

extension Response {
    /// Prints the value, or says why there is none.
    ///
    /// - Throws: the exit status of a failure.
    func report(_ exit: (Status) -> Int32 = ToolStatus.of) throws {
        guard status.isSuccess else {
            let text = message.isEmpty ? status.message : message
            Output.complain("crosstie: \(text)")
            if value != .null { try Output.json(value) }
            throw ExitCode(exit(status))
        }
        try Output.json(value)
    }
}
