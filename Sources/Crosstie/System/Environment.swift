internal import CPlatform

/// Variables of the process's environment. A program that runs with more rights than its caller has (set-user-ID, file
/// capabilities) has none here, for they are the caller's.
package enum Environment {
    /// The text of a variable; nil when it is empty or there is none.
    package static func value(_ name: String) -> String? {
        cp_environment(name).flatMap { $0[0] == 0 ? nil : String(cString: $0) }
    }

    /// A variable that holds an absolute path; nil when it holds anything else.
    package static func path(_ name: String) -> String? {
        cp_environment(name).flatMap { $0[0] == 0x2F ? String(cString: $0) : nil }
    }
}
