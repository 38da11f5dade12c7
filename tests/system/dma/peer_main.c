/* SPDX-License-Identifier: BSD-3-Clause */
/* The program behind peer.h. It ends with status 0 when told so, or when nobody is there any more.
 */

#include "peer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_types.h>

#include "peer_fetch.h"
#include "peer_sync.h"

struct slot {
    struct doca_mmap *map;
    char *memory; /* whole pages */
    size_t size;
    char *range;
    size_t len;
};

static struct slot slots[PEER_SLOTS];
static struct doca_dev *dev;
static atomic_bool is_over;

static doca_error_t open_device(void)
{
    struct doca_devinfo **list;
    uint32_t n;
    doca_error_t result = doca_devinfo_create_list(&list, &n);

    if (result != DOCA_SUCCESS)
        return result;
    result = n > 0 ? doca_dev_open(list[0], &dev) : DOCA_ERROR_NOT_FOUND;
    doca_devinfo_destroy_list(list);
    return result;
}

static doca_error_t get_memory(struct slot *slot, const struct peer_command *command)
{
    int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;

    slot->len = command->len;
    slot->size = (command->offset + command->len + PEER_PAGE - 1) / PEER_PAGE * PEER_PAGE;
    if (command->kind == PEER_MEMFD) {
        fd = memfd_create("peer", MFD_CLOEXEC);
        flags = MAP_SHARED;
        if (fd < 0 || ftruncate(fd, (off_t)slot->size) != 0)
            return DOCA_ERROR_OPERATING_SYSTEM;
    }
    slot->memory = mmap(NULL, slot->size, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (fd >= 0)
        close(fd);
    if (slot->memory == MAP_FAILED)
        return DOCA_ERROR_NO_MEMORY;
    slot->range = slot->memory + command->offset;
    peer_fill_pattern(slot->range, slot->len, command->seed);
    return DOCA_SUCCESS;
}

static doca_error_t export_slot(const struct peer_command *command, struct peer_answer *answer)
{
    struct slot *slot = &slots[command->slot];
    const void *desc;
    size_t desc_len;
    doca_error_t result = get_memory(slot, command);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_create(&slot->map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(slot->map, dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(slot->map, command->access);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(slot->map, slot->range, slot->len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(slot->map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_export_pci(slot->map, dev, &desc, &desc_len);
    if (result != DOCA_SUCCESS)
        return result;
    answer->addr = (uint64_t)(uintptr_t)slot->range;
    answer->desc_len = (uint32_t)desc_len;
    memcpy(answer->desc, desc, desc_len);
    return DOCA_SUCCESS;
}

static doca_error_t release(struct slot *slot)
{
    if (slot->memory != NULL && munmap(slot->memory, slot->size) != 0)
        return DOCA_ERROR_OPERATING_SYSTEM;
    slot->memory = NULL;
    return DOCA_SUCCESS;
}

static doca_error_t destroy(struct slot *slot)
{
    doca_error_t result = doca_mmap_destroy(slot->map);

    if (result == DOCA_SUCCESS)
        slot->map = NULL;
    return result;
}

static doca_error_t protect(const struct slot *slot, size_t offset)
{
    uintptr_t page = ((uintptr_t)slot->range + offset) / PEER_PAGE * PEER_PAGE;

    return mprotect((void *)page, PEER_PAGE, PROT_NONE) == 0 ? DOCA_SUCCESS
                                                             : DOCA_ERROR_OPERATING_SYSTEM;
}

static void *be_busy(void *arg)
{
    (void)arg;
    while (!atomic_load(&is_over)) {
        char *memory = malloc(100000);

        if (memory != NULL)
            peer_fill_pattern(memory, 100000, (uintptr_t)memory);
        free(memory);
    }
    return NULL;
}

static doca_error_t start_busy(uint64_t threads)
{
    pthread_t thread;

    for (uint64_t i = 0; i < threads; i++) {
        if (pthread_create(&thread, NULL, be_busy, NULL) != 0 || pthread_detach(thread) != 0)
            return DOCA_ERROR_OPERATING_SYSTEM;
    }
    return DOCA_SUCCESS;
}

static doca_error_t serve(const struct peer_command *command, struct peer_answer *answer)
{
    struct slot *slot = &slots[command->slot];

    switch (command->op) {
    case PEER_EXPORT:
        return export_slot(command, answer);
    case PEER_FILL:
        peer_fill_pattern(slot->range, slot->len, command->seed);
        return DOCA_SUCCESS;
    case PEER_CHECK:
        answer->value = peer_match_pattern(slot->range, slot->len, command->seed);
        return DOCA_SUCCESS;
    case PEER_STOP:
        return doca_mmap_stop(slot->map);
    case PEER_DESTROY:
        return destroy(slot);
    case PEER_RELEASE:
        return release(slot);
    case PEER_PROTECT:
        return protect(slot, command->offset);
    case PEER_BUSY:
        return start_busy(command->len);
    case PEER_FETCH:
        return peer_fetch(dev, command, answer);
    case PEER_SYNC_EXPORT:
        return peer_sync_export(dev, command, answer);
    case PEER_SYNC_IMPORT:
        return peer_sync_import(dev, command);
    case PEER_SYNC_WRITE:
        return peer_sync_write(command->seed, &answer->value);
    case PEER_SYNC_AWAIT:
        return peer_sync_await(command->seed);
    case PEER_SYNC_CLOSE:
        return peer_sync_close();
    default:
        return DOCA_ERROR_INVALID_VALUE;
    }
}

static bool say(const struct peer_answer *answer)
{
    return send(STDIN_FILENO, answer, sizeof(*answer), MSG_NOSIGNAL) == sizeof(*answer);
}

/* Everything must go back, whatever state it was left in. */
static doca_error_t clean_up(void)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    for (size_t i = 0; i < PEER_SLOTS; i++) {
        if (slots[i].map != NULL) {
            tmp = destroy(&slots[i]);
            DOCA_ERROR_PROPAGATE(result, tmp);
        }
        tmp = release(&slots[i]);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = doca_dev_close(dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(void)
{
    struct peer_command command;

    if (open_device() != DOCA_SUCCESS)
        return 1;
    while (read(STDIN_FILENO, &command, sizeof(command)) == sizeof(command)) {
        struct peer_answer answer = {0};

        if (command.op == PEER_QUIT)
            break;
        if (command.op == PEER_PAUSE)
            pause();
        if (command.op == PEER_FETCH_FOREVER) {
            do {
                answer.status = (int)peer_fetch(dev, &command, &answer);
            } while (answer.status == DOCA_SUCCESS && say(&answer));
            return 2;
        }
        answer.status = (int)serve(&command, &answer);
        if (!say(&answer))
            return 3;
    }
    atomic_store(&is_over, true);
    if (clean_up() != DOCA_SUCCESS) {
        fprintf(stderr, "the peer cannot clean up\n");
        return 4;
    }
    return 0;
}
