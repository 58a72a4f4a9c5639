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
