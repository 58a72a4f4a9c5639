/// One entry of a map: the value, and where in the cell its key is.
package struct MapEntry: BitwiseCopyable {
    var keyOffset: UInt32
    var keySize: UInt32
    package var value: ValueRef
}
