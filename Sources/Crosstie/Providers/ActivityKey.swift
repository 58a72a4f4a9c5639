/// The fields of an activity.
enum ActivityKey {
    static var type: String { "activityType" }
    static var url: String { "webpageURL" }
}
