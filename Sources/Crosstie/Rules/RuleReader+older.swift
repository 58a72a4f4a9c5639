// What stands in a rule of the older form alone.

extension RuleReader {
    mutating func takeOlder(_ value: Value, for key: String) throws(CrosstieError) -> Bool {
        guard key != "params" else {
            parameters = try RuleParameter.sampled(value)
            return true
        }
        return try classNames.take(value, for: key)
    }
}
