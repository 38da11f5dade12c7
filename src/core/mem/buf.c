/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers: geometry, reference counts, lists. */

#include "core/mem/mem_priv.h"

/* ------------------------------------------------------------------------------------------------
 * Guards
 */

doca_error_t core_buf_check_pointer(const struct doca_buf *buf, const char *func)
{
    if (od_unlikely(buf == NULL))
        return CORE_FAIL_NULL(CORE_LOG_BUF, func, "buf");
    if (OD_CHECKED && !core_buf_is_known(buf))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, NULL, "buf",
                         "%p, not a buffer of any inventory or pool" CORE_REMEDY
                         "its inventory or pool may have been destroyed",
                         (const void *)buf);
    return DOCA_SUCCESS;
}

doca_error_t core_buf_check_held(const struct doca_buf *buf, const char *func)
{
    doca_error_t result = core_buf_check_pointer(buf, func);

    if (result != DOCA_SUCCESS || od_likely(buf->refcount != 0))
        return result;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, buf->source->name, "reference count",
                     "0 (buffer %p)" CORE_LIMIT "at least 1" CORE_REMEDY
                     "the buffer was returned; do not use it any more",
                     (const void *)buf);
}

doca_error_t core_buf_check_head(const struct doca_buf *buf, const char *func)
{
    if (od_likely(buf->is_head))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_BUF, func, buf->source->name,
                     "place in the list",
                     "later element (buffer %p)" CORE_LIMIT "first element" CORE_REMEDY
                     "use the first element of the list, or doca_buf_unchain_list() before",
                     (const void *)buf);
}

doca_error_t core_buf_check_free(const struct doca_buf *buf, const char *func)
{
    if (od_likely(!buf->source->is_task))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_BUF, func, buf->source->name, "buffer",
                     "%p of a task" CORE_REMEDY
                     "it lives and ends with its task; references and lists are for buffers of "
                     "inventories and pools",
                     (const void *)buf);
}

/* Geometry of a returned buffer is nonsense; the checked flavour says so. */
static doca_error_t check_use(const struct doca_buf *buf, const char *func)
{
    return OD_CHECKED ? core_buf_check_held(buf, func) : core_buf_check_pointer(buf, func);
}

/* ------------------------------------------------------------------------------------------------
 * References
 */

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    doca_error_t result = core_buf_check_held(buf, __func__);

    if (result == DOCA_SUCCESS)
        result = core_buf_check_free(buf, __func__);
    if (result == DOCA_SUCCESS)
        result = core_buf_check_head(buf, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (buf->refcount == UINT16_MAX)
        return CORE_FAIL(DOCA_ERROR_TOO_BIG, CORE_LOG_BUF, __func__, buf->source->name,
                         "reference count", "%u" CORE_LIMIT "%u", buf->refcount, UINT16_MAX);
    if (refcount != NULL)
        *refcount = buf->refcount;
    buf->refcount++;
    return DOCA_SUCCESS;
}

static void return_list(struct doca_buf *head)
{
    struct doca_buf *next;

    for (struct doca_buf *buf = head; buf != NULL; buf = next) {
        next = buf->next;
        core_buf_put(buf);
    }
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
    doca_error_t result = core_buf_check_held(buf, __func__);

    if (result == DOCA_SUCCESS)
        result = core_buf_check_free(buf, __func__);
    if (result == DOCA_SUCCESS)
        result = core_buf_check_head(buf, __func__);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (refcount != NULL)
        *refcount = buf->refcount;
    if (--buf->refcount == 0)
        return_list(buf);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
    doca_error_t result = core_buf_check_pointer(buf, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (refcount == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "refcount");
    *refcount = buf->refcount;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Geometry
 */

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
    doca_error_t result = check_use(buf, __func__);

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(len == NULL))
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "len");
    *len = buf->len;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
    doca_error_t result = check_use(buf, __func__);

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(head == NULL))
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "head");
    *head = buf->head;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
    doca_error_t result = check_use(buf, __func__);

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(data_len == NULL))
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "data_len");
    *data_len = buf->data_len;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
    doca_error_t result = check_use(buf, __func__);

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(data == NULL))
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "data");
    *data = buf->data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
    doca_error_t result = check_use(buf, __func__);

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(data == NULL))
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "data");
    buf->data = data;
    buf->data_len = data_len;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
    doca_error_t result = check_use(buf, __func__);

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    buf->data_len = data_len;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
    doca_error_t result = check_use(buf, __func__);

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    buf->data_len = 0;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Lists: queries
 */

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf)
{
    doca_error_t result = check_use(buf, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (next_buf == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "next_buf");
    *next_buf = buf->next;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf)
{
    doca_error_t result = check_use(buf, __func__);
    struct doca_buf *last = buf;

    if (result != DOCA_SUCCESS)
        return result;
    if (last_buf == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "last_buf");
    if (buf->is_head)
        last = buf->tail;
    while (last->next != NULL)
        last = last->next;
    *last_buf = last;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
    doca_error_t result = check_use(buf, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (is_last == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "is_last");
    *is_last = buf->next == NULL;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
    doca_error_t result = check_use(buf, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (is_first == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "is_first");
    *is_first = buf->is_head;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
    doca_error_t result = check_use(buf, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (is_in_list == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "is_in_list");
    *is_in_list = !buf->is_head || buf->next != NULL;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
    doca_error_t result = check_use(buf, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (num_elements == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "num_elements");
    result = core_buf_check_head(buf, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    *num_elements = buf->list_len;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Lists: building
 */

/* The element before `buf` and its number from 1; NULL when `buf` is not behind `head`. */
static struct doca_buf *find_before(struct doca_buf *head, const struct doca_buf *buf,
                                    uint32_t *number)
{
    *number = 1;
    while (head != NULL && head->next != buf) {
        head = head->next;
        ++*number;
    }
    return head;
}

static doca_error_t check_can_append(struct doca_buf *head, const struct doca_buf *list,
                                     const char *func)
{
    uint32_t number;

    if (od_unlikely(list == head || (!list->is_head && find_before(head, list, &number) != NULL)))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, list->source->name, "list2",
                         "%p, is in list1 already" CORE_REMEDY "append another list",
                         (const void *)list);
    if (od_unlikely(!list->is_head))
        return core_buf_check_head(list, func);
    if (od_unlikely(list->refcount != 1))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_BUF, func, list->source->name,
                         "reference count of list2",
                         "%u" CORE_LIMIT "1" CORE_REMEDY
                         "an appended list is released with list1; drop the other references",
                         list->refcount);
    return DOCA_SUCCESS;
}

/* `tail`: what the caller thinks is the last element of list1; NULL when it does not say. */
static doca_error_t append_list(struct doca_buf *head, const struct doca_buf *tail,
                                struct doca_buf *list, const char *func)
{
    doca_error_t result = core_buf_check_held(head, func);

    if (result == DOCA_SUCCESS)
        result = core_buf_check_pointer(list, func);
    if (result == DOCA_SUCCESS)
        result = core_buf_check_free(head, func);
    if (result == DOCA_SUCCESS)
        result = core_buf_check_free(list, func);
    if (result == DOCA_SUCCESS)
        result = core_buf_check_head(head, func);
    if (result == DOCA_SUCCESS)
        result = check_can_append(head, list, func);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(tail != NULL && tail != head->tail))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_BUF, func, head->source->name,
                         "list1_tail",
                         "%p" CORE_LIMIT "%p" CORE_REMEDY "pass the last element of list1",
                         (const void *)tail, (void *)head->tail);
    core_buf_join(head, list);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
    if (list1 == NULL || list2 == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, list1 == NULL ? "list1" : "list2");
    return append_list(list1, NULL, list2, __func__);
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
                                      struct doca_buf *list2)
{
    if (list1_head == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "list1_head");
    if (list1_tail == NULL || list2 == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, list1_tail == NULL ? "list1_tail" : "list2");
    return append_list(list1_head, list1_tail, list2, __func__);
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
    doca_error_t result;
    struct doca_buf *before = NULL;
    uint32_t number;

    if (list1 == NULL || list2 == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, list1 == NULL ? "list1" : "list2");
    result = check_use(list1, __func__);
    if (result == DOCA_SUCCESS)
        result = check_use(list2, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (list1->is_head && list1->refcount != 0)
        before = find_before(list1, list2, &number);
    if (before == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, __func__, list1->source->name,
                         "list2",
                         "%p" CORE_LIMIT "a later element of the list %p" CORE_REMEDY
                         "pass the first element of the list, and the element at which to cut",
                         (void *)list2, (void *)list1);
    list2->is_head = true;
    list2->refcount = 1;
    list2->tail = list1->tail;
    list2->list_len = list1->list_len - number;
    list1->tail = before;
    list1->list_len = number;
    before->next = NULL;
    return DOCA_SUCCESS;
}
