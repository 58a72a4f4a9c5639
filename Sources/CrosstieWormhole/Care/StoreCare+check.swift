extension StoreCare {
    /// The result of a check.
    package struct Checked: Sendable {
        package let records: UInt64
        package let findings: UInt64
    }

    /// Looks at every page and every record of a group, and changes nothing. Others may have it open.
    ///
    /// - Parameter report: receives the problems.
    /// - Throws: `notFound`, `timedOut`, `unsafeFile`, `incompatibleVersion`, `outOfMemory`, `systemFailure`.
    package static func check(
        _ name: String, _ options: WormholeOptions, report: (StoreFinding) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Checked {
        let damage = try withDirectory(name, options) {
            directory, isInUse throws(CrosstieError) -> StoreFinding? in
            if isInUse { return nil }
            return try findDamage(in: directory.value)
        }
        if let damage {
            try report(damage)
            return Checked(records: 0, findings: 1)
        }
        let outcome = try withGroup(name, options) { group, _ throws(CrosstieError) -> AuditOutcome in
            if let damage = try findLiveDamage(of: group, options) { return .failure(damage) }
            return .success(try audit(group))
        }
        switch outcome {
        case .failure(let damage):
            try report(damage)
            return Checked(records: 0, findings: 1)
        case .success(let audit):
            for finding in audit.findings { try report(finding) }
            return Checked(records: audit.sizes.recordCount, findings: audit.findingCount)
        }
    }

    private enum AuditOutcome {
        case success(StoreAudit)
        case failure(StoreFinding)
    }

    /// The damage in the files of a group that no process has open; nil for none.
    private static func findDamage(in directory: borrowing GroupDirectory) throws(CrosstieError) -> StoreFinding? {
        do throws(CrosstieError) {
            guard let wakeups = try WakeupsFile.open(in: directory) else { throw .noGroup(at: directory.path) }
            defer { WakeupsFile.close(wakeups) }
            try wakeups.checkOptions()
            try directory.require(GroupDirectory.dataName, size: Int(clamping: wakeups.storeSize))
            try StoreCheck.run(in: directory)
            return nil
        } catch {
            guard error.status == .corruptData || error.status == .unsafeFile else { throw error }
            return StoreFinding("pages", "", error.message)
        }
    }

    /// The same for an open group. No process writes meanwhile.
    private static func findLiveDamage(
        of group: Group, _ options: WormholeOptions
    ) throws(CrosstieError) -> StoreFinding? {
        guard case .directory(let directory) = group.location else { return nil }
        try group.lockWriters(timeout: options.timeoutNanoseconds)
        defer { group.unlockWriters() }
        do throws(CrosstieError) {
            if group.isWhole(directory.value) { try StoreCheck.run(in: directory.value) }
            return nil
        } catch {
            guard error.status == .corruptData else { throw error }
            return StoreFinding("pages", "", error.message)
        }
    }

    static func audit(_ group: Group) throws(CrosstieError) -> StoreAudit {
        var audit = StoreAudit(number: 0)
        try scan(group, { audit = StoreAudit(number: $0) }) { key, record in audit.take(key, record) }
        audit.finish()
        for finding in try auditExtents(group) { audit.find(finding) }
        return audit
    }

    private static func auditExtents(_ group: Group) throws(CrosstieError) -> [StoreFinding] {
        try group.read { snapshot throws(CrosstieError) in
            var audit = ExtentAudit()
            try (snapshot.records as? LMDBTransaction)?.scanStored { key, record in
                audit.take(key, record)
                return .next
            }
            return audit.findings
        }
    }

    /// The sizes of a group's store: of the file, of its used part, and of the records of each kind.
    ///
    /// - Throws: as opening.
    package static func sizes(_ name: String, _ options: WormholeOptions) throws(CrosstieError) -> ValueMap {
        try withGroup(name, options) { group, store throws(CrosstieError) -> ValueMap in
            var audit = StoreAudit(number: 0)
            try scan(group, { audit = StoreAudit(number: $0) }) { key, record in audit.take(key, record) }
            let pages = try store.pages(lockedBy: group, timeout: options.timeoutNanoseconds)
            let limits = group.wakeups.limits
            let living = (pages.used - pages.free) * store.pageSize
            let compacted = StoreBuilder.goodSize(for: living, atMost: limits.mapSize)
            return ValueMap([
                ("size", .number(store.mapSize)), ("largest_size", .number(limits.mapSize)),
                ("page_size", .number(store.pageSize)), ("used", .number(living)),
                ("free", .number(store.mapSize - living)), ("compacted", .number(min(compacted, store.mapSize))),
                ("sequence", .number(try group.sequence())), ("records", .number(audit.sizes.recordCount)),
                ("queued", .number(audit.sizes.messages)), ("max_queued", .number(limits.queuedCount)),
                ("max_queued_size", .number(limits.queuedSize)),
                ("retain_ms", .number(limits.retainAge / 1_000_000)), ("retain_count", .number(limits.retainCount)),
                ("retain_size", .number(limits.retainSize)),
                ("expires_ms", .number(limits.sending.expiresMilliseconds)),
                ("delay_ms", .number(limits.sending.delayMilliseconds)), ("kinds", .map(audit.sizes.map)),
            ])
        }
    }
}

extension LMDBStore {
    /// The number of pages of the file that have ever been used, and of those that are free now.
    fileprivate func pages(lockedBy group: Group, timeout: UInt64) throws(CrosstieError) -> (used: UInt64, free: UInt64)
    {
        try group.lockWriters(timeout: timeout)
        defer { group.unlockWriters() }
        try adoptSize()
        let used = min(usedPages, mapSize / pageSize)
        return (used, min(try freePages() &+ freeExtentPages(), used))
    }
}
