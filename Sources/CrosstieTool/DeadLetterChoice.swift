import ArgumentParser
import CrosstieWormhole

/// A selection of dead letters.
struct DeadLetterChoice: ParsableArguments {
    @OptionGroup var message: MessageArguments

    @Argument(help: "The durable consumer.")
    var name: String

    @Argument(help: ArgumentHelp("The numbers of some; by default all.", valueName: "number"))
    var numbers: [UInt64] = []

    /// Calls `body` with each number, or with nil for all.
    func apply(_ body: (Wormhole, UInt64?) throws(CrosstieError) -> Int) throws {
        let wormhole = try message.find()
        var count = 0
        for number in numbers { count += try body(wormhole, number) }
        if numbers.isEmpty { count = try body(wormhole, nil) }
        try Output.json(ValueMap([("count", .int(Int64(count)))]))
    }
}
