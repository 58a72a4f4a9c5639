/// One pair of a query, decoded. The ranges live in the URL's area.
package struct QueryPair {
    package let key: SegmentRange
    package let value: SegmentRange
}
