/// A component as it is declared: each bus that takes it gets content of its own.
package struct Declaration {
    let name: String
    let makeContent: () throws(CrosstieError) -> ComponentContent

    /// - Throws: what `makeContent` throws, and what ``ComponentContent/check()`` refuses the content for.
    package init(_ makeContent: @escaping () throws(CrosstieError) -> ComponentContent) throws(CrosstieError) {
        let content = try makeContent()
        name = content.name
        self.makeContent = makeContent
        defer { content.destroy() }
        try content.check()
    }
}
