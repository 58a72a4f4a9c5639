import ArgumentParser
import CrosstieJoin

/// The groups that a command joins, and the process that it reaches there.
struct JoinTarget {
    /// Nil for all groups of this user.
    var group: String?
    /// Nil for the one that this user's processes find by the name.
    var directory: String?
    /// Nil for any process.
    var peer: String?
    /// In seconds.
    var timeout: Double

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
    func join() throws -> JoinedBus {
        let wormholes = try open()
        guard !wormholes.isEmpty else {
            Output.complain("crosstie: there is no group\(group.map { " '\($0)'" } ?? " of this user")")
            throw ExitCode(ToolStatus.nobody)
        }
        return try JoinedBus(wormholes)
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
        for entry in GroupDirectoryEntry.all where group == nil || entry.group == group {
            do throws(CrosstieError) {
                wormholes.append(try entry.open())
            } catch {
                Output.complain("crosstie: the group '\(entry.group)': \(error.message)")
                failure = error
            }
        }
        if wormholes.isEmpty, let failure { throw failure }
        return wormholes
    }
}
