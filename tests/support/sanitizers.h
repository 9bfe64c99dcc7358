#pragma once

// Defined where the address or the thread sanitizer is in the program: they end it where memory is not to be had. g++ and
// clang++ each say it in a way of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INFERD_UNDER_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INFERD_UNDER_SANITIZER
#endif
#endif
