/// A part of a request's URL.
package enum URLPart: Int32 {
    case whole = 0
    case scheme = 1
    case host = 2
    case path = 3
    case query = 4
    case fragment = 5
}
