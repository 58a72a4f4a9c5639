/// One entry of a map to be made. Its layout is that of `ctie_pair`.
package struct MapItem: BitwiseCopyable {
    package var keyStart: UnsafeRawPointer?
    package var keySize: Int
    package var value: ValueRef

    package init(key: UnsafeRawBufferPointer, value: ValueRef) {
        keyStart = key.baseAddress
        keySize = key.count
        self.value = value
    }

    package var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: keyStart, count: keySize) }
}
