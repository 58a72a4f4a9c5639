/// The location of a group's messages.
enum GroupLocation {
    case directory(OpenDirectory)
    /// In this process's memory, under the group's name or that of the directory in the place of which it is.
    case memory(String)
    /// Wherever a host's own transport keeps them.
    case host(HostTransport)
}

extension Group {
    /// A new group in this process's memory.
    static func open(inMemory name: String, _ options: WormholeOptions) throws(CrosstieError) -> Group {
        let store = MemoryStore(maximumSize: options.limits.mapSize)
        do throws(CrosstieError) {
            var transaction = try store.writing()
            try transaction.put(StoreMeta())
            try transaction.commit()
            return Group(
                location: .memory(name), wakeups: CurrentWakeups(try WakeupsFile.anonymous(options)), store: store)
        } catch {
            store.close()
            throw error
        }
    }
}
