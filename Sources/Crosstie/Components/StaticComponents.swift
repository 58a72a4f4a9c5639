/// A component as it is declared: each bus that takes it gets content of its own.
package struct Declaration {
    let name: String
    let makeContent: () throws(CrosstieError) -> ComponentContent

    /// - Throws: the errors of `makeContent`, and those of ``ComponentContent/check()`` for the content.
    package init(_ makeContent: @escaping () throws(CrosstieError) -> ComponentContent) throws(CrosstieError) {
        let content = try makeContent()
        name = content.name
        self.makeContent = makeContent
        defer { content.destroy() }
        try content.check()
    }
}

/// The process's static components, and the buses that have them all.
///
/// Components are declared before anything else of the library may have been used.
public enum StaticComponents {
    // Both guarded by the process's lock.
    nonisolated(unsafe) private static var declarations: [Declaration] = []
    nonisolated(unsafe) private static var buses: [Handle] = []

    /// Gives a component to every bus with static components, those that are there and those to come.
    ///
    /// - Throws: *conflict* for a name that is declared already.
    package static func declare(_ declaration: Declaration) throws(CrosstieError) {
        let takers = try ProcessState.lock.with { () throws(CrosstieError) -> [Handle] in
            guard !declarations.contains(where: { $0.name == declaration.name }) else {
                throw CrosstieError(.conflict, "there is a static component \(declaration.name)", at: "name")
            }
            declarations.append(declaration)
            return buses
        }
        for bus in takers { give(declaration, to: bus) }
    }

    /// Gives a bus all that are declared, and from now on each that is.
    static func give(to bus: Handle) {
        let declared = ProcessState.lock.with {
            buses.removeAll { BusRecord.resolve($0).status != .ok }
            buses.append(bus)
            return declarations
        }
        for declaration in declared { give(declaration, to: bus) }
    }

    private static func give(_ declaration: Declaration, to bus: Handle) {
        do throws(CrosstieError) {
            var content = try declaration.makeContent()
            content.isStatic = true
            _ = try BusRecord.addComponent(bus, content)
        } catch {
            BusRecord.write(to: bus, .warning, "the static component \(declaration.name) was refused: \(error)")
        }
    }
}
