/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/note.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#define NOTE_NAME "opendoca"

struct wanted {
    uint32_t type;
    uint32_t word;
};

static size_t round_up(size_t n, size_t align)
{
    return (n + align - 1) / align * align;
}

/* The word in one segment of notes, 0 when there is none. */
static uint32_t find_in(const char *notes, size_t size, size_t align, uint32_t type)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        size_t name_end, desc_end;
        uint32_t word;

        memcpy(&head, notes, sizeof(head));
        name_end = round_up(sizeof(head) + (size_t)head.n_namesz, align);
        desc_end = round_up(name_end + head.n_descsz, align);
        if (name_end > size || head.n_descsz > size - name_end)
            return 0;
        if (head.n_type == type && head.n_namesz == sizeof(NOTE_NAME) &&
            head.n_descsz == sizeof(word) &&
            memcmp(notes + sizeof(head), NOTE_NAME, sizeof(NOTE_NAME)) == 0) {
            memcpy(&word, notes + name_end, sizeof(word));
            return word;
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
    struct wanted *wanted = arg;

    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum && wanted->word == 0; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_NOTE)
            wanted->word = find_in((const char *)(info->dlpi_addr + segment->p_vaddr),
                                   segment->p_memsz, segment->p_align == 8 ? 8 : 4, wanted->type);
    }
    return 1;
}

uint32_t od_program_note(enum od_note type)
{
    struct wanted wanted = {.type = type};

    dl_iterate_phdr(look_at_main_program, &wanted);
    return wanted.word;
}
