internal import CPlatform
internal import Glibc

/// The alternatives of a node to its literals.
extension RouteSearch {
    /// The next thing to try: a position in the tree, or a route that takes all the rest.
    enum Alternative {
        case position(RoutePosition)
        case route(UInt32)
    }

    /// Takes the next alternative from the stack.
    @inline(__always)
    mutating func nextAlternative(noting: Bool) -> Alternative? {
        while frameCount > 0, steps < Self.budget {
            let top = frames + (frameCount &- 1)
            captureCount = Int(top.pointee.captures)
            if upperUUIDs != 0 { upperUUIDs &= (1 << UInt64(captureCount)) &- 1 }
            steps &+= 1
            if let next = next(of: top, Int(top.pointee.at), noting: noting) { return next }
        }
        return nil
    }

    /// Advances a frame by one stage or list. A frame that has come to its end is popped.
    @inline(__always)
    private mutating func next(of frame: UnsafeMutablePointer<MatchFrame>, _ at: Int, noting: Bool) -> Alternative? {
        let node = node(frame.pointee.node)
        switch frame.pointee.stage {
        case .before:
            if let next = nextItem(of: frame, node, node.beforeWord) { return .position(next) }
            frame.pointee.stage = .parameter
            return nil
        case .parameter:
            (frame.pointee.stage, frame.pointee.item) = (.after, MatchFrame.unread)
            // The scheme's node counts its routes where others have a rest.
            if cp_word_acquire(node.afterWord) == 0, at == 0 || cp_word_relaxed(node.restWord) == 0 { frameCount &-= 1 }
            return parameter(of: node, at).map { .position($0) }
        case .after:
            if let next = nextItem(of: frame, node, node.afterWord) { return .position(next) }
            frame.pointee.stage = .rest
            return nil
        case .rest:
            frameCount &-= 1
            return rest(of: node, at, noting: noting).map { .route($0) }
        }
    }

    @inline(__always)
    mutating func parameter(of node: UnsafeMutablePointer<RouteNode>, _ at: Int) -> RoutePosition? {
        let word = cp_word_acquire(node.parameterWord)
        guard word != 0, segments[at].length > 0, !isEscaped(at) else { return nil }
        capture(at, cutting: 0)
        return RoutePosition(
            reference: NodeReference(word: word), hash: node.pointee.hash.stepToParameter(), at: at &+ 1)
    }

    /// The route of a rest, if the segments from `at` on are what it can take: none with an escaped slash, and the first
    /// one not empty, or the rest would begin with a slash, as an absolute path does.
    private mutating func rest(
        of node: UnsafeMutablePointer<RouteNode>, _ at: Int, noting: Bool
    ) -> UInt32? {
        let value = cp_word_relaxed(node.restWord)
        guard value != 0, at > 0, segments[at].length > 0 else { return nil }
        let plain = (parts.pointee.escapedSlashes &>> UInt64(at &- 1)).trailingZeroBitCount
        let end = min(at &+ plain, Int(parts.pointee.segmentCount) &+ 1)
        guard end == count, end > at else {
            if noting, end > at, end < count { ancestors |= 1 << UInt64(end &- 1) }
            return nil
        }
        guard skip == 0 else {
            skip &-= 1
            return nil
        }
        captures[captureCount] = SegmentRange(from: Int(segments[at].offset), to: segments[count &- 1].end)
        captureCount &+= 1
        return value
    }

    /// The position behind the first item of a list that takes the segment; the frame goes on behind it.
    private mutating func nextItem(
        of frame: UnsafeMutablePointer<MatchFrame>, _ node: UnsafeMutablePointer<RouteNode>, _ first: RouteWord
    ) -> RoutePosition? {
        let at = Int(frame.pointee.at)
        if frame.pointee.item == MatchFrame.unread { frame.pointee.item = cp_word_acquire(first) }
        while frame.pointee.item != 0, steps < Self.budget {
            let item = block.pointee.items + Int(frame.pointee.item)
            frame.pointee.item = cp_word_acquire(item.nextWord)
            steps &+= 1
            guard segments[at].length > 0, take(item, at) else { continue }
            return RoutePosition(
                reference: NodeReference(word: cp_word_acquire(item.referenceWord)),
                hash: node.pointee.hash.step(salt: item.pointee.salt, block.pointee.seeds), at: at &+ 1)
        }
        return nil
    }

    /// Whether an item takes the segment, which is captured then.
    private mutating func take(_ item: UnsafeMutablePointer<RouteItem>, _ at: Int) -> Bool {
        let rank = item.pointee.rank
        if rank == .any {
            capture(at, cutting: 0)
            return true
        }
        guard !isEscaped(at) else { return false }
        if rank == .skip { return true }
        guard rank.isSuffix else { return takeTyped(rank, at) }
        let cut = rank.suffixLength
        let range = segments[at]
        guard Int(range.length) > cut, hasSuffix(range, item, cut) else { return false }
        capture(at, cutting: cut)
        return true
    }

    private mutating func hasSuffix(
        _ range: SegmentRange, _ item: UnsafeMutablePointer<RouteItem>, _ cut: Int
    ) -> Bool {
        steps &+= cut &>> 6
        return memcmp(area + (range.end &- cut), block.pointee.text + Int(item.pointee.text), cut) == 0
    }

    private mutating func takeTyped(_ rank: RouteItem.Rank, _ at: Int) -> Bool {
        let text = parts.pointee.text(segments[at])
        steps &+= text.count &>> 6
        guard let type = rank.type, type.accepts(text) else { return false }
        capture(at, cutting: 0)
        let last = captureCount &- 1
        // A host is of the type in any case of letters, and the value of a boolean has one spelling.
        if type == .bool { captures[last] = segments[at] }
        if type == .uuid, parts.pointee.text(captures[last]).contains(where: { $0 &- 0x41 < 6 }) {
            upperUUIDs |= 1 << UInt64(last)
        }
        return true
    }

    /// A host is captured as it was written.
    @inline(__always)
    private mutating func capture(_ at: Int, cutting cut: Int) {
        let range = at == 0 ? parts.pointee.writtenHost : segments[at]
        captures[captureCount] = SegmentRange(from: Int(range.offset), to: range.end &- cut)
        captureCount &+= 1
    }

    /// Writes captured UUIDs in lower case behind the area's text.
    @inline(never)
    func lowerUUIDs(_ value: UInt32) -> MatchResult {
        var used = Int(parts.pointee.used)
        let needed = used &+ upperUUIDs.nonzeroBitCount &* 36 &+ URLLimits.slack
        guard needed <= Int(parts.pointee.capacity) else {
            return MatchResult(
                needed <= URLLimits.area ? .needsRoom : .limit, value: UInt32(truncatingIfNeeded: needed))
        }
        for index in 0..<captureCount where upperUUIDs & 1 << UInt64(index) != 0 {
            let text = parts.pointee.text(captures[index])
            for (at, byte) in text.enumerated() {
                parts.pointee.area.storeBytes(of: ASCII.lower(byte), toByteOffset: used &+ at, as: UInt8.self)
            }
            captures[index] = SegmentRange(from: used, to: used &+ text.count)
            used &+= text.count
        }
        parts.pointee.used = UInt32(truncatingIfNeeded: used)
        return MatchResult(.found, value: value, captures: captureCount, segments: count)
    }
}
