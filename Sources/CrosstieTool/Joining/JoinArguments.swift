import ArgumentParser
import CrosstieJoin

/// The groups that a command joins, and what it does there.
struct JoinArguments: ParsableArguments {
    @Option(help: "The group's name; by default all groups of this user.")
    var group: String?

    @Option(help: "The group's directory; by default the one that this user's processes find by the name.")
    var directory: String?

    @Option(help: ArgumentHelp("The process, by its name or its member number.", valueName: "name"))
    var peer: String?

    @Option(help: ArgumentHelp("The time limit in seconds.", valueName: "s"))
    var timeout: Double = 60

    func validate() throws {
        guard timeout > 0, timeout < 4e9 else { throw ValidationError("--timeout is above 0 and below 4,000,000,000.") }
        if directory != nil, group == nil { throw ValidationError("--directory needs --group.") }
    }

    /// The options of a request that goes to another process.
    var options: RequestOptions {
        var options = RequestOptions()
        options.reach = .elsewhere(peer ?? "")
        options.timeout = .milliseconds(UInt64((timeout * 1000).rounded(.up)))
        return options
    }

    /// Joins the groups.
    ///
    /// - Throws: the exit status 69 where there are none.
    func join(importing name: String) throws -> JoinedBus {
        let wormholes = try open()
        guard !wormholes.isEmpty else {
            Output.complain("crosstie: there is no group\(group.map { " '\($0)'" } ?? " of this user")")
            throw ExitCode(ToolStatus.nobody)
        }
        return try JoinedBus(wormholes, importing: name)
    }

    private func open() throws -> [Wormhole] {
        if let group, let directory {
            var options = WormholeOptions()
            (options.directory, options.mustExist) = (directory, true)
            do throws(CrosstieError) {
                return [try Wormhole(group, options: options)]
            } catch {
                guard error.status == .notFound else { throw error }
                return []
            }
        }
        var (wormholes, failure): ([Wormhole], CrosstieError?) = ([], nil)
        for place in GroupPlace.all where group == nil || place.group == group {
            do throws(CrosstieError) {
                wormholes.append(try place.open())
            } catch {
                Output.complain("crosstie: the group '\(place.group)': \(error.message)")
                failure = error
            }
        }
        if wormholes.isEmpty, let failure { throw failure }
        return wormholes
    }
}
