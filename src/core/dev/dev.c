/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev/dev_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/text.h"

struct open_dev {
    struct doca_dev pub;
    struct od_list link;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct od_list open_devs = {&open_devs, &open_devs};

/* The lock is held. */
static struct open_dev *find_dev(const struct doca_dev *dev)
{
    OD_LIST_FOR_EACH(link, &open_devs)
    {
        struct open_dev *entry = OD_LIST_ENTRY(link, struct open_dev, link);

        if (&entry->pub == dev)
            return entry;
    }
    return NULL;
}

/* The lock is held. */
static struct open_dev *find_open(const struct soft_device *soft)
{
    OD_LIST_FOR_EACH(link, &open_devs)
    {
        struct open_dev *entry = OD_LIST_ENTRY(link, struct open_dev, link);

        if (entry->pub.info.soft == soft)
            return entry;
    }
    return NULL;
}

/* The lock is held. */
static uint32_t count_open(void)
{
    uint32_t num = 0;

    OD_LIST_FOR_EACH(link, &open_devs)
    num++;
    return num;
}

bool core_dev_is_valid(const struct doca_dev *dev)
{
    bool valid;

    pthread_mutex_lock(&lock);
    valid = find_dev(dev) != NULL;
    pthread_mutex_unlock(&lock);
    return valid;
}

void core_dev_hold(struct doca_dev *dev, enum core_dev_user user)
{
    atomic_fetch_add_explicit(&dev->users[user], 1, memory_order_relaxed);
}

/* Release: what the user did with the device comes before the close that finds no user. */
void core_dev_release(struct doca_dev *dev, enum core_dev_user user)
{
    atomic_fetch_sub_explicit(&dev->users[user], 1, memory_order_release);
}

struct doca_dev *core_dev_hold_open(const struct soft_device *soft, enum core_dev_user user)
{
    struct open_dev *entry;

    pthread_mutex_lock(&lock);
    entry = find_open(soft);
    if (entry != NULL)
        core_dev_hold(&entry->pub, user);
    pthread_mutex_unlock(&lock);
    return entry != NULL ? &entry->pub : NULL;
}

static struct open_dev *new_dev(const struct doca_devinfo *devinfo)
{
    struct open_dev *entry = calloc(1, sizeof(*entry));

    if (entry == NULL)
        return NULL;
    entry->pub.info = *devinfo;
    od_list_append(&open_devs, &entry->link);
    return entry;
}

static doca_error_t check_access(const struct doca_devinfo *devinfo)
{
    switch (devinfo->soft->access) {
    case SOFT_ACCESS_UNREACHABLE:
        return CORE_FAIL(DOCA_ERROR_NOT_CONNECTED, CORE_LOG_DEV, "doca_dev_open", devinfo->name,
                         "access",
                         "\"unreachable\"" CORE_REMEDY "the devices file says so, change it there");
    case SOFT_ACCESS_BRIDGE:
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DEV, "doca_dev_open", devinfo->name,
                         "access", "\"bridge\"" CORE_REMEDY "open the device that it bridges");
    case SOFT_ACCESS_NORMAL:
        break;
    }
    return DOCA_SUCCESS;
}

static doca_error_t check_open(const struct doca_devinfo *devinfo, struct doca_dev **dev)
{
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, "doca_dev_open", "dev");
    if (core_devinfo_caps(devinfo, "doca_dev_open") == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    return check_access(devinfo);
}

/* No call of the program fails when an importer is turned away: the log is where it is told. */
static void log_refusal(const char *who, const char *why, const char *remedy)
{
    CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, "export", NULL, "importer",
              "%s, refused: %s" CORE_REMEDY "%s", who, why, remedy);
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
    struct open_dev *entry;
    uint32_t limit, num;
    doca_error_t result = check_open(devinfo, dev);

    if (result != DOCA_SUCCESS)
        return result;
    limit = devinfo->soft->caps.max_opens;
    pthread_mutex_lock(&lock);
    entry = find_open(devinfo->soft);
    num = count_open();
    if (entry == NULL && (limit == 0 || num < limit))
        entry = new_dev(devinfo);
    if (entry != NULL)
        entry->pub.opens++;
    pthread_mutex_unlock(&lock);

    if (entry != NULL) {
        soft_peer_on_refusal(log_refusal); /* whoever exports has opened a device */
        *dev = &entry->pub;
        return DOCA_SUCCESS;
    }
    if (limit != 0 && num >= limit)
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_DEV, __func__, devinfo->name,
                         "number of open devices",
                         "%" PRIu32 CORE_LIMIT "%" PRIu32 CORE_REMEDY
                         "close another device, or raise max_opens in the devices file",
                         num, limit);
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_DEV, __func__, devinfo->name, NULL,
                     "no memory for the device");
}

/* "contexts: 2, memory maps: 1"; true when there is any. */
static bool describe_users(struct doca_dev *dev, struct od_text *text)
{
    static const char *const kinds[CORE_DEV_USER_NUM] = {
        [CORE_DEV_USER_CTX] = "contexts",           [CORE_DEV_USER_MMAP] = "memory maps",
        [CORE_DEV_USER_SYNC_EVENT] = "sync events", [CORE_DEV_USER_CLOCK] = "clocks",
        [CORE_DEV_USER_REP] = "representors",
    };

    for (int i = 0; i < CORE_DEV_USER_NUM; i++) {
        uint32_t num = atomic_load_explicit(&dev->users[i], memory_order_acquire);

        if (num > 0)
            od_text_printf(text, "%s%s: %" PRIu32, text->len > 0 ? ", " : "", kinds[i], num);
    }
    return text->len > 0;
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
    struct open_dev *entry;
    char users_buf[128];
    struct od_text users;
    bool busy, last;

    if (dev == NULL)
        return DOCA_SUCCESS;
    od_text_init(&users, users_buf, sizeof(users_buf));
    pthread_mutex_lock(&lock);
    entry = find_dev(dev);
    last = entry != NULL && entry->pub.opens == 1;
    busy = last && describe_users(dev, &users);
    if (entry != NULL && !busy)
        entry->pub.opens--;
    if (last && !busy)
        od_list_remove(&entry->link);
    pthread_mutex_unlock(&lock);

    if (entry == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, __func__, NULL, "dev",
                         "%p, no open device" CORE_REMEDY "close each open once", (void *)dev);
    if (busy)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_DEV, __func__, dev->info.name, NULL,
                         "used by %s" CORE_REMEDY "destroy or close them first", users_buf);
    if (last)
        free(entry);
    return DOCA_SUCCESS;
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, __func__, "dev");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, __func__, NULL, "dev",
                         "%p, no open device", (void *)dev);
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DEV, __func__, dev->info.name, NULL,
                       "devices in software have nothing to reclaim");
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
    return dev != NULL ? (struct doca_devinfo *)&dev->info : NULL;
}
