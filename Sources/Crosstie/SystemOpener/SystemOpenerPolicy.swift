import Synchronization

/// The URLs that may go to a bus's system opener. It is set by host code, never by a rule table.
package struct SystemOpenerPolicy: Sendable {
    package var isOff = false
    package var servesRemote = false
    /// Besides http and https; in lower case.
    package var schemes: [String] = []
    /// The program: a path, or a name to be found on the PATH.
    package var program = "xdg-open"

    package init() {}

    /// The most schemes that may be allowed.
    package static var maximumSchemes: Int { 64 }
    package static var maximumProgram: Int { 4096 }

    /// Schemes that no system opener gets, whatever the host allows: their URLs run code or read files.
    private static let dangerous: Set = ["file", "javascript", "vbscript", "data", "blob", "about", "view-source"]

    /// Puts the schemes into lower case and checks everything.
    package mutating func check() throws(CrosstieError) {
        guard schemes.count <= Self.maximumSchemes else {
            throw CrosstieError(
                .limitExceeded, "a system opener has at most \(Self.maximumSchemes) schemes", at: "options.schemes")
        }
        for index in schemes.indices {
            schemes[index] = try Self.checked(schemes[index], at: "options.schemes[\(index)]")
        }
        guard program.utf8.count <= Self.maximumProgram else {
            throw CrosstieError(
                .limitExceeded, "the program's path is over \(Self.maximumProgram) bytes", at: "options.program")
        }
        guard !program.utf8.contains(0) else {
            throw CrosstieError(.invalidArgument, "the program holds a NUL", at: "options.program")
        }
        if program.isEmpty { program = "xdg-open" }
    }

    private static func checked(_ scheme: String, at location: String) throws(CrosstieError) -> String {
        let refusal = "the scheme \(Quotation.quoted(scheme)) cannot be allowed"
        if let problem = SchemeName.problem(in: scheme) {
            let status = SchemeName.status(of: problem, else: .invalidURL)
            throw CrosstieError(status, "\(refusal): \(problem.message)", at: location)
        }
        let lower = SchemeName.lowerCase(scheme)
        guard !dangerous.contains(lower) else {
            throw CrosstieError(.invalidURL, "\(refusal): no system opener may have it", at: location)
        }
        return lower
    }
}
