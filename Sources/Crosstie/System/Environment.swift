internal import Glibc

/// Variables of the process's environment.
enum Environment {
    /// The text of a variable; nil when it is empty or there is none.
    static func value(_ name: String) -> String? {
        getenv(name).flatMap { $0[0] == 0 ? nil : String(cString: $0) }
    }

    /// A variable that holds an absolute path; nil when it holds anything else.
    static func path(_ name: String) -> String? {
        getenv(name).flatMap { $0[0] == 0x2F ? String(cString: $0) : nil }
    }
}
