/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/device.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROLE_ENV "OPENDOCA_ROLE"

/* The note that every object with a public header in it carries, see impl/opendoca_flavour.h. */
#define NOTE_NAME "opendoca"
#define NOTE_ROLE 1

const char *soft_role_name(enum soft_role role)
{
    return role == SOFT_ROLE_DPU ? "dpu" : "host";
}

static size_t round_up(size_t n, size_t align)
{
    return (n + align - 1) / align * align;
}

/* The role in one segment of notes, 0 when there is none. */
static uint32_t role_of_notes(const char *notes, size_t size, size_t align)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        size_t name_end, desc_end;
        uint32_t role;

        memcpy(&head, notes, sizeof(head));
        name_end = round_up(sizeof(head) + (size_t)head.n_namesz, align);
        desc_end = round_up(name_end + head.n_descsz, align);
        if (name_end > size || head.n_descsz > size - name_end)
            return 0;
        if (head.n_type == NOTE_ROLE && head.n_namesz == sizeof(NOTE_NAME) &&
            head.n_descsz == sizeof(role) &&
            memcmp(notes + sizeof(head), NOTE_NAME, sizeof(NOTE_NAME)) == 0) {
            memcpy(&role, notes + name_end, sizeof(role));
            return role;
        }
        desc_end = OD_MIN(desc_end, size);
        notes += desc_end;
        size -= desc_end;
    }
    return 0;
}

/* The main program comes first; what it has loaded does not decide. */
static int look_at_main_program(struct dl_phdr_info *info, size_t size, void *arg)
{
    uint32_t *code = arg;

    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum && *code == 0; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_NOTE)
            *code = role_of_notes((const char *)(info->dlpi_addr + segment->p_vaddr),
                                  segment->p_memsz, segment->p_align == 8 ? 8 : 4);
    }
    return 1;
}

static enum soft_role compiled_role(void)
{
    uint32_t code = 0;

    dl_iterate_phdr(look_at_main_program, &code);
    return code == SOFT_ROLE_DPU ? SOFT_ROLE_DPU : SOFT_ROLE_HOST;
}

static struct {
    pthread_once_t once;
    enum soft_role role;
    char unknown[64]; /* value of the variable that names no role; "" = none */
} process = {.once = PTHREAD_ONCE_INIT};

static void decide(void)
{
    const char *env = secure_getenv(ROLE_ENV);

    process.role = compiled_role();
    if (env == NULL || *env == '\0')
        return;
    if (strcmp(env, "host") == 0)
        process.role = SOFT_ROLE_HOST;
    else if (strcmp(env, "dpu") == 0)
        process.role = SOFT_ROLE_DPU;
    else
        strncpy(process.unknown, env, sizeof(process.unknown) - 1);
}

int soft_device_role(enum soft_role *role)
{
    pthread_once(&process.once, decide);
    *role = process.role;
    if (process.unknown[0] != '\0')
        return soft_fail(-EINVAL, ROLE_ENV " is \"%s\", allowed: \"host\", \"dpu\"",
                         process.unknown);
    return 0;
}
