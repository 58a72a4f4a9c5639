/// The options of a route, beside its handler.
package struct RouteSpec {
    package var pattern: UnsafeRawBufferPointer
    package var remark = UnsafeRawBufferPointer.empty
    /// Empty for none.
    package var name = ""
    /// The id of the rule that it is for; empty for none.
    package var rule = ""
    package var isReplacing = false

    package init(pattern: UnsafeRawBufferPointer) { self.pattern = pattern }
}

extension RouteSpec {
    func withName<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var name = name
        return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
