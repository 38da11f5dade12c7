/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Attributes of public declarations, and helpers for versioned structs.
 *
 * Stable calls keep their meaning within a major version. Experimental and deprecated calls may
 * change or go; using one warns unless the program defines DOCA_ALLOW_EXPERIMENTAL_API or
 * DOCA_ALLOW_DEPRECATED_API before it includes the first public header.
 *
 * A versioned struct starts with DOCA_STRUCT_START, a member that says for which version of the
 * API the object was filled. Library and program may then be of different versions: the reader
 * compares DOCA_STRUCT_GET_VERSION with the versions it knows before it touches other members.
 */

#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <doca_config.h>

/* Named sections are spelled this way in ELF only. */
#ifdef __ELF__
#define OPENDOCA_SECTION(name) __attribute__((section(name)))
#else
#define OPENDOCA_SECTION(name)
#endif

/** The symbol stays in the object even when nothing seems to refer to it. */
#define DOCA_USED __attribute__((used))

/** Prefix of a public function whose interface is settled. */
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

/** Prefix of a public function that may still change. */
#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL DOCA_STABLE OPENDOCA_SECTION(".text.experimental")
#else
#define DOCA_EXPERIMENTAL                                                                          \
    DOCA_STABLE OPENDOCA_SECTION(".text.experimental") __attribute__((                             \
        deprecated("experimental: define DOCA_ALLOW_EXPERIMENTAL_API to use it knowingly")))
#endif

/** Prefix of a public function that will go, and mark of an enum constant that will go. */
#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED DOCA_STABLE OPENDOCA_SECTION(".text.deprecated")
#define DOCA_DEPRECATED_ENUM
#else
#define DOCA_DEPRECATED                                                                            \
    DOCA_STABLE OPENDOCA_SECTION(".text.deprecated")                                               \
        __attribute__((deprecated("define DOCA_ALLOW_DEPRECATED_API to use it knowingly")))
#define DOCA_DEPRECATED_ENUM                                                                       \
    __attribute__((deprecated("define DOCA_ALLOW_DEPRECATED_API to use it knowingly")))
#endif

#ifdef DOCA_COMPAT_HELPERS

#include <string.h>
#include <stdint.h>
#include <stdlib.h>
#include <assert.h>

/* Behind the attributes: the two headers include each other. */
#include <doca_version.h>

/** First member of a versioned struct: DOCA_VERSION_EXACT of whoever filled the object. */
#define DOCA_STRUCT_START size_t __doca_api_version

/** Version of the struct that _X_ points to, a size_t. */
#define DOCA_STRUCT_GET_VERSION(_X_) ((_X_)->__doca_api_version)

/** Stamps the object _X_ with the version of these headers; other members stay as they are. */
#define DOCA_STRUCT_CTOR(_X_) ((_X_).__doca_api_version = DOCA_VERSION_EXACT)

/** DOCA_STRUCT_CTOR for the object that _X_ points to. */
#define DOCA_STRUCT_PTR_CTOR(_X_) ((_X_)->__doca_api_version = DOCA_VERSION_EXACT)

/** Zeroes the object _X_, then stamps it. */
#define DOCA_STRUCT_MEMSET_CTOR(_X_)                                                               \
    do {                                                                                           \
        memset(&(_X_), 0, sizeof(_X_));                                                            \
        DOCA_STRUCT_CTOR(_X_);                                                                     \
    } while (0)

/** DOCA_STRUCT_MEMSET_CTOR for the object that _X_ points to; _X_ is evaluated twice. */
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_X_)                                                           \
    do {                                                                                           \
        memset((_X_), 0, sizeof(*(_X_)));                                                          \
        DOCA_STRUCT_PTR_CTOR(_X_);                                                                 \
    } while (0)

/** Opens an initialiser list, `= {DOCA_STRUCT_CTOR_LIST_START, .other = 1}`; the rest is zero. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

/** Defines the variable __name__ of type struct __st__, stamped, the rest zero. */
#ifdef __cplusplus
/* C++ has designated initialisers only since C++20. */
#define DOCA_STRUCT_DEF(__st__, __name__)                                                          \
    struct __st__ __name__ = [] {                                                                  \
        struct __st__ doca_stamped_ = {};                                                          \
        DOCA_STRUCT_CTOR(doca_stamped_);                                                           \
        return doca_stamped_;                                                                      \
    }()
#else
#define DOCA_STRUCT_DEF(__st__, __name__) struct __st__ __name__ = {DOCA_STRUCT_CTOR_LIST_START}
#endif

#endif /* DOCA_COMPAT_HELPERS */

#endif /* DOCA_COMPAT_H_ */
