import CrosstieWormhole

/// The members of groups, collected by process.
struct GroupMembers {
    /// In the order of their numbers.
    var processes: [GroupProcess] { found.sorted { ($0.pid, $0.since) < ($1.pid, $1.since) } }

    private var found: [GroupProcess] = []

    /// Adds the members of a group, without this process.
    mutating func add(_ entry: GroupDirectoryEntry) throws(CrosstieError) {
        let wormhole = try entry.open()
        defer { wormhole.close() }
        for member in try wormhole.members() where !member.isSelf {
            let index = index(of: member)
            found[index].since = min(found[index].since, member.since)
            if entry.isSystem {
                if !found[index].systemGroups.contains(entry.group) { found[index].systemGroups.append(entry.group) }
            } else if !found[index].groups.contains(entry.group) {
                found[index].groups.append(entry.group)
            }
        }
    }

    /// A process may have several names.
    private mutating func index(of member: Wormhole.Member) -> Int {
        if let index = found.firstIndex(where: { $0.pid == member.pid && $0.name == member.name }) { return index }
        found.append(GroupProcess(pid: member.pid, name: member.name, since: member.since))
        return found.count - 1
    }
}
