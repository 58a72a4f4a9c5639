import Testing

/// All schedules of several actors, each of which plays a thread and makes one atomic step at a time; or those with few
/// preemptions, where all would be millions.
///
/// Every schedule is replayed from a fresh state, so that the machine under test is the real one. An actor that is blocked
/// changes nothing: a schedule in which it is chosen is dropped, for it equals the one in which it is chosen later.
struct Schedules {
    enum Progress {
        case more
        case done
        case blocked
    }

    /// A choice among the actors that are still running.
    private struct Choice {
        var chosen: Int
        let count: Int
    }

    private let preemptions: Int
    private var path: [Choice] = []
    /// The number of schedules that came to their end.
    private(set) var count = 0

    private init(preemptions: Int) { self.preemptions = preemptions }

    /// Calls `make` for each schedule, runs its actors, and calls `check` at the end.
    ///
    /// - Parameter preemptions: the most times that an actor is interrupted which could go on.
    static func explore(
        preemptions: Int = .max, _ make: () -> (actors: [() -> Progress], check: () -> Void)
    ) -> Int {
        var schedules = Schedules(preemptions: preemptions)
        repeat { schedules.run(make()) } while schedules.advance()
        return schedules.count
    }

    private mutating func run(_ fresh: (actors: [() -> Progress], check: () -> Void)) {
        // The actor that made the last step is the first one, if it can go on.
        var running = Array(fresh.actors.indices)
        var (depth, interrupted, canGoOn) = (0, 0, false)
        while !running.isEmpty {
            let isFree = !canGoOn || interrupted < preemptions
            if depth == path.count { path.append(Choice(chosen: 0, count: isFree ? running.count : 1)) }
            let chosen = path[depth].chosen
            depth += 1
            if canGoOn, chosen > 0 { interrupted += 1 }
            let actor = running.remove(at: chosen)
            switch fresh.actors[actor]() {
            case .more:
                running.insert(actor, at: 0)
                canGoOn = true
            case .done: canGoOn = false
            case .blocked: return
            }
        }
        count += 1
        fresh.check()
    }

    /// Moves to the next schedule. Returns false after the last one.
    private mutating func advance() -> Bool {
        while let last = path.last, last.chosen + 1 == last.count { path.removeLast() }
        guard !path.isEmpty else { return false }
        path[path.count - 1].chosen += 1
        return true
    }

    /// An actor that makes these steps one after another.
    static func actor(_ steps: (() -> Void)...) -> () -> Progress {
        var next = 0
        return {
            steps[next]()
            next += 1
            return next == steps.count ? .done : .more
        }
    }
}

/// An expectation about a type that cannot be copied, which the macro could not take apart.
func expect(_ isTrue: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(isTrue, sourceLocation: location)
}
