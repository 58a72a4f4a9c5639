import CrosstieJoin

/// Exit statuses of commands that reach other processes.
enum ToolStatus {
    static var nobody: Int32 { 69 }
    static var late: Int32 { 75 }

    static func of(_ status: Status) -> Int32 {
        switch status {
        case .noComponent, .peerGone: nobody
        case .timedOut: late
        default: 1
        }
    }
}
