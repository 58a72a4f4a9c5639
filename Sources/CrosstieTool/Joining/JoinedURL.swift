import ArgumentParser
import CrosstieJoin

/// A URL to open in a process that exports it.
struct JoinedURL {
    let url: String
    /// Whether it comes from outside.
    let isRemote: Bool
    let target: JoinTarget

    /// Prints the answer. Throws the exit status, with the reason on stderr.
    func open() throws {
        var options = target.options
        if isRemote { options.origin = .remote }
        let joined = try target.join()
        let isKnown = joined.bus.canOpen(url, origin: options.origin, anywhere: true) == .peer
        try joined.response { bus, completion in
            try bus.openAsync(url, options: options, completion: completion)
        }.report { status in status == .noRoute && !isKnown ? ToolStatus.nobody : ToolStatus.of(status) }
    }
}
