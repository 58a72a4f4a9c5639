/// All schedules of several actors, each of which stands for a thread and makes one atomic step at a time.
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

    private var path: [Choice] = []
    /// The number of schedules that came to their end.
    private(set) var count = 0

    /// Calls `make` for each schedule, runs its actors, and calls `check` at the end.
    static func explore(_ make: () -> (actors: [() -> Progress], check: () -> Void)) -> Int {
        var schedules = Schedules()
        repeat { schedules.run(make()) } while schedules.advance()
        return schedules.count
    }

    private mutating func run(_ fresh: (actors: [() -> Progress], check: () -> Void)) {
        var running = Array(fresh.actors.indices)
        var depth = 0
        while !running.isEmpty {
            if depth == path.count { path.append(Choice(chosen: 0, count: running.count)) }
            let chosen = path[depth].chosen
            depth += 1
            switch fresh.actors[running[chosen]]() {
            case .more: break
            case .done: running.remove(at: chosen)
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
