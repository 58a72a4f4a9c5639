/// A line of a provider's log: a message, and its source location.
package struct ProviderLogLine {
    let message: UnsafeRawBufferPointer
    let file: UnsafeRawBufferPointer
    let function: UnsafeRawBufferPointer
    let line: Int32

    package init(
        _ message: UnsafeRawBufferPointer, file: UnsafeRawBufferPointer, function: UnsafeRawBufferPointer, line: Int32
    ) {
        self.message = message
        self.file = file
        self.function = function
        self.line = line
    }

    package static var maximumSize: Int { 65_536 }
}
