/**
 * @file handoff_names.h
 * The built-in identifiers for handing off, which are those of NBus. They are texts; a host may use its own as well.
 */
#ifndef CROSSTIE_HANDOFF_NAMES_H
#define CROSSTIE_HANDOFF_NAMES_H

/**
 * @defgroup handoff_names Names for handing off
 * @{
 */

/**
 * @name Endpoints for sharing
 * @{
 */
/** @since 0.1 */
#define CTIE_ENDPOINT_QQ_FRIEND "com.nuomi1.bus.endpoint.qq.friend"
#define CTIE_ENDPOINT_QQ_TIMELINE "com.nuomi1.bus.endpoint.qq.timeline"
#define CTIE_ENDPOINT_WECHAT_FRIEND "com.nuomi1.bus.endpoint.wechat.friend"
#define CTIE_ENDPOINT_WECHAT_TIMELINE "com.nuomi1.bus.endpoint.wechat.timeline"
#define CTIE_ENDPOINT_WECHAT_FAVORITE "com.nuomi1.bus.endpoint.wechat.favorite"
#define CTIE_ENDPOINT_WEIBO_TIMELINE "com.nuomi1.bus.endpoint.weibo.timeline"
#define CTIE_ENDPOINT_SYSTEM_ACTIVITY "com.nuomi1.bus.endpoint.system.activity"
/** @} */

/**
 * @name Platforms for signing in and launching
 * @{
 */
/** @since 0.1 */
#define CTIE_PLATFORM_QQ "com.nuomi1.bus.platform.qq"
#define CTIE_PLATFORM_WECHAT "com.nuomi1.bus.platform.wechat"
#define CTIE_PLATFORM_WEIBO "com.nuomi1.bus.platform.weibo"
#define CTIE_PLATFORM_SYSTEM "com.nuomi1.bus.platform.system"
/** @} */

/**
 * @name Kinds of message
 * @{
 */
/** @since 0.1 */
#define CTIE_SHARE_KIND_TEXT "com.nuomi1.bus.message.text"
#define CTIE_SHARE_KIND_IMAGE "com.nuomi1.bus.message.image"
#define CTIE_SHARE_KIND_AUDIO "com.nuomi1.bus.message.audio"
#define CTIE_SHARE_KIND_VIDEO "com.nuomi1.bus.message.video"
#define CTIE_SHARE_KIND_WEB_PAGE "com.nuomi1.bus.message.webPage"
#define CTIE_SHARE_KIND_FILE "com.nuomi1.bus.message.file"
#define CTIE_SHARE_KIND_MINI_PROGRAM "com.nuomi1.bus.message.miniProgram"
/** @} */

/**
 * @name Keys of options, which belong in user_info
 * @{
 */
/** @since 0.1 */
#define CTIE_OPTION_QQ_SIGN_TOKEN "com.nuomi1.bus.qqHandler.signToken"
#define CTIE_OPTION_WECHAT_SIGN_TOKEN "com.nuomi1.bus.wechatHandler.signToken"
#define CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER "com.nuomi1.bus.systemHandler.presentingViewController"
#define CTIE_OPTION_SYSTEM_SOURCE_VIEW "com.nuomi1.bus.systemHandler.sourceView"
#define CTIE_OPTION_SYSTEM_SOURCE_RECT "com.nuomi1.bus.systemHandler.sourceRect"
/** @} */

/**
 * @name The method of the system's provider (provider_system.h): one of the texts below
 * The key is Crosstie's own.
 * @{
 */
/** @since 0.1 */
#define CTIE_OPTION_SYSTEM_METHOD "crosstie.systemHandler.method"
#define CTIE_SYSTEM_METHOD_MAIL "mail"
#define CTIE_SYSTEM_METHOD_CLIPBOARD "clipboard"
#define CTIE_SYSTEM_METHOD_OPEN "open"
/** @} */

/**
 * @name Keys of a sign-in's answer
 * @{
 */
/** @since 0.1 */
#define CTIE_INFO_QQ_ACCESS_TOKEN "com.nuomi1.bus.qq.accessToken"
#define CTIE_INFO_QQ_EXPIRATION_DATE "com.nuomi1.bus.qq.expirationDate"
#define CTIE_INFO_QQ_OPEN_ID "com.nuomi1.bus.qq.openID"
#define CTIE_INFO_WECHAT_CODE "com.nuomi1.bus.wechat.code"
#define CTIE_INFO_WEIBO_ACCESS_TOKEN "com.nuomi1.bus.weibo.accessToken"
#define CTIE_INFO_WEIBO_EXPIRATION_DATE "com.nuomi1.bus.weibo.expirationDate"
#define CTIE_INFO_WEIBO_REFRESH_TOKEN "com.nuomi1.bus.weibo.refreshToken"
#define CTIE_INFO_WEIBO_USER_ID "com.nuomi1.bus.weibo.userID"
#define CTIE_INFO_SYSTEM_IDENTITY_TOKEN "com.nuomi1.bus.systemHandler.identityToken"
#define CTIE_INFO_SYSTEM_AUTHORIZATION_CODE "com.nuomi1.bus.systemHandler.authorizationCode"
#define CTIE_INFO_SYSTEM_USER "com.nuomi1.bus.systemHandler.user"
#define CTIE_INFO_SYSTEM_EMAIL "com.nuomi1.bus.systemHandler.email"
#define CTIE_INFO_SYSTEM_GIVEN_NAME "com.nuomi1.bus.systemHandler.givenName"
#define CTIE_INFO_SYSTEM_FAMILY_NAME "com.nuomi1.bus.systemHandler.familyName"
/** @} */

/**
 * @name The type of an activity that is about a web page
 * @{
 */
/** @since 0.1 */
#define CTIE_ACTIVITY_BROWSING_WEB "NSUserActivityTypeBrowsingWeb"
/** @} */

/** @} */

#endif
