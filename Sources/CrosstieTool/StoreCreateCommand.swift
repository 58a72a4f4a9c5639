import ArgumentParser
import CrosstieWormhole

/// `crosstie store create`
struct StoreCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a group with limits and defaults.",
        discussion: "An existing group is not changed, and the command fails."
    )

    @OptionGroup var group: GroupArguments

    @Option(help: ArgumentHelp("The initial size of the store in bytes.", valueName: "n"))
    var size: UInt64?

    @Option(help: ArgumentHelp("The largest size in bytes.", valueName: "n"))
    var maxSize: UInt64?

    @Option(help: ArgumentHelp("The most messages kept for queues.", valueName: "n"))
    var maxQueued: UInt64?

    @Option(help: ArgumentHelp("The most bytes of these messages.", valueName: "n"))
    var maxQueuedSize: UInt64?

    @Option(help: ArgumentHelp("Retain messages for later queues: how long.", valueName: "seconds"))
    var retain: Seconds?

    @Option(help: ArgumentHelp("The most retained messages.", valueName: "n"))
    var retainCount: UInt64?

    @Option(help: ArgumentHelp("The most bytes of them.", valueName: "n"))
    var retainSize: UInt64?

    @Option(help: ArgumentHelp("The default time after which messages expire.", valueName: "seconds"))
    var expires: Seconds?

    @Option(help: ArgumentHelp("The default delay of messages.", valueName: "seconds"))
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
    /// Whole milliseconds; a shorter span is one.
    fileprivate var milliseconds: UInt64 { nanoseconds == 0 ? 0 : max(nanoseconds / 1_000_000, 1) }
}
