@preconcurrency import Glibc

/// A started program in a process group of its own, so that its children can be ended with it.
struct ChildProgram {
    let pid: pid_t

    /// - Parameters:
    ///   - arguments: with the name it is called by.
    ///   - environment: entries "name=value" that replace those of this process.
    ///   - output: the descriptor for its output; -1 for none.
    /// - Returns: nil if it could not be started.
    init?(_ path: String, _ arguments: [String], environment: [String], output: Int32 = -1) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        if output >= 0 {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        var words = arguments.map { strdup($0) } + [nil]
        var variables = ChildProgram.environment(with: environment).map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, path, &actions, &attributes, &words, &variables) == 0 else { return nil }
        self.pid = pid
    }

    /// Returns the exit status, 128 and the signal's number, or nil at the deadline.
    func wait(until deadline: Deadline) -> Int32? {
        while true {
            if let status = status { return status }
            guard deadline.milliseconds > 0 else { return nil }
            usleep(2_000)
        }
    }

    /// The exit status if it has ended. It may be read once.
    var status: Int32? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Ends it and its children.
    func end() {
        kill(-pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    private static func environment(with new: [String]) -> [String] {
        let names = Set(new.map { $0.prefix { $0 != "=" } })
        var all: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let variable = String(cString: text)
            if !names.contains(variable.prefix { $0 != "=" }) { all.append(variable) }
            entry += 1
        }
        return all + new
    }
}
