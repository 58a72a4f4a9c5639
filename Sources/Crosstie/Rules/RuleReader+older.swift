// The fields of rules in the older form only.

extension RuleReader {
    mutating func takeOlder(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        guard key != "params" else {
            parameters = try RuleParameter.sampled(value)
            return true
        }
        return try classNames.take(value, for: key)
    }
}
