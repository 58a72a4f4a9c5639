import ArgumentParser
import CrosstieWormhole

/// `crosstie store create`
struct StoreCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a group with limits and defaults that its first opener decides.",
        discussion: "A group that is there already is left as it is, and the command fails."
    )

    @OptionGroup var group: GroupPlace

    @Option(help: ArgumentHelp("Bytes of the store to begin with.", valueName: "n"))
    var size: UInt64?

    @Option(help: ArgumentHelp("Bytes to which it may grow.", valueName: "n"))
    var maxSize: UInt64?

    @Option(help: ArgumentHelp("Messages that are kept for queues at most.", valueName: "n"))
    var maxQueued: UInt64?

    @Option(help: ArgumentHelp("Bytes that they take at most.", valueName: "n"))
    var maxQueuedSize: UInt64?

    @Option(help: ArgumentHelp("Keep messages for queues that nobody has yet: for so long.", valueName: "seconds"))
    var retain: Seconds?

    @Option(help: ArgumentHelp("So many of them at most.", valueName: "n"))
    var retainCount: UInt64?

    @Option(help: ArgumentHelp("So many bytes at most.", valueName: "n"))
    var retainSize: UInt64?

    @Option(help: ArgumentHelp("Messages expire after so long, if their sender does not say.", valueName: "seconds"))
    var expires: Seconds?

    @Option(help: ArgumentHelp("They wait for so long, if their sender does not say.", valueName: "seconds"))
    var delay: Seconds?

    @Flag(help: "Every process writes into the mapped store itself: faster, and less safe.")
    var fast = false

    func run() throws {
        guard try Wormhole(group.group, options: options).close() == .ok else { return }
        try StoreStatsCommand.printSizes(of: group)
    }

    private var options: WormholeOptions {
        var chosen = group.options
        chosen.mustBeNew = true
        if let size { chosen.mapSize = size }
        chosen.maximumMapSize = maxSize
        if let maxQueued { chosen.maximumQueued = maxQueued }
        chosen.maximumQueuedSize = maxQueuedSize
        chosen.retainMilliseconds = retain?.milliseconds
        chosen.retainCount = retainCount
        chosen.retainSize = retainSize
        chosen.expiresMilliseconds = expires?.milliseconds ?? 0
        chosen.delayMilliseconds = delay?.milliseconds ?? 0
        chosen.isFast = fast
        return chosen
    }
}

extension Seconds {
    /// Whole ones; what is shorter than one is one.
    fileprivate var milliseconds: UInt64 { nanoseconds == 0 ? 0 : max(nanoseconds / 1_000_000, 1) }
}
