/// One change of a commit, borrowed. Without an address the record is removed; without a key all are.
struct HostChange {
    let key: UnsafeRawBufferPointer
    let record: UnsafeRawBufferPointer
}
