/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sanitizers must be told of a change of stacks. Their functions are weak here: one library
 * serves plain and sanitized programs, whichever compiler built them.
 */
#include "rt.h"

#define WEAK __attribute__((weak))

WEAK void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
WEAK void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);
WEAK void __asan_unpoison_memory_region(void const volatile *address, size_t size);
WEAK void __asan_init(void);
WEAK void *__tsan_get_current_fiber(void);
WEAK void *__tsan_create_fiber(unsigned flags);
WEAK void __tsan_destroy_fiber(void *fiber);
WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
WEAK void __tsan_acquire(void *address);
WEAK void __tsan_release(void *address);

enum { TSAN_NO_SYNC = 1 };

bool san_address(void)
{
    return __asan_init != NULL;
}

bool san_thread(void)
{
    return __tsan_create_fiber != NULL;
}

void san_leave(struct san_stack *from, const struct san_stack *to, bool dying)
{
    if (san_address())
        __sanitizer_start_switch_fiber(dying ? NULL : &from->fake, to->bottom, to->size);
}

void san_arrive(struct san_stack *self)
{
    if (san_address()) {
        __sanitizer_finish_switch_fiber(self->fake, NULL, NULL);
        self->fake = NULL;
    }
}

/* Of the calling thread. */
void san_find_stack(struct san_stack *stack)
{
    pthread_attr_t attributes;
    void *bottom = NULL;

    if (!pthread_getattr_np(pthread_self(), &attributes)) {
        pthread_attr_getstack(&attributes, &bottom, &stack->size);
        pthread_attr_destroy(&attributes);
    }
    stack->bottom = bottom;
}

void san_clean_stack(const void *bottom, size_t size)
{
    if (san_address())
        __asan_unpoison_memory_region(bottom, size);
}

void *san_fiber_new(void)
{
    return san_thread() ? __tsan_create_fiber(0) : NULL;
}

void *san_fiber_here(void)
{
    return san_thread() ? __tsan_get_current_fiber() : NULL;
}

void san_fiber_switch(void *fiber)
{
    if (fiber)
        __tsan_switch_to_fiber(fiber, TSAN_NO_SYNC);
}

void san_fiber_free(void *fiber)
{
    if (fiber)
        __tsan_destroy_fiber(fiber);
}

void san_release(void *object)
{
    if (san_thread())
        __tsan_release(object);
}

void san_acquire(void *object)
{
    if (san_thread())
        __tsan_acquire(object);
}
