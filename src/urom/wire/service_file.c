/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/service_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FIELDS 5

enum { APP_HOST, TYPE, DEV_HOST, PCI, NET };

struct line {
    char field[FIELDS][UROM_WIRE_ADDR_SIZE];
    unsigned int nfields; /* FIELDS + 1 when there are more */
    bool too_long;
    bool binary;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void add_field(struct line *line, const char *text, size_t len)
{
    if (line->nfields >= FIELDS) {
        line->nfields = FIELDS + 1;
        return;
    }
    if (len >= sizeof(line->field[0])) {
        line->too_long = true;
        len = 0;
    }
    memcpy(line->field[line->nfields], text, len);
    line->field[line->nfields++][len] = '\0';
}

static void split(const char *text, size_t len, struct line *line)
{
    const char *hash = memchr(text, '#', len);
    const char *end = hash != NULL ? hash : text + len;

    line->nfields = 0;
    line->too_long = false;
    line->binary = memchr(text, '\0', (size_t)(end - text)) != NULL;
    while (text < end) {
        const char *begin = text;

        while (text < end && !is_blank(*text))
            text++;
        if (text > begin)
            add_field(line, begin, (size_t)(text - begin));
        while (text < end && is_blank(*text))
            text++;
    }
}

/* What is wrong with a line that has fields, or NULL. */
static const char *complaint(const struct line *line, struct od_pci_addr *pci)
{
    if (line->binary)
        return "has a NUL byte";
    if (line->too_long)
        return "has a field that is too long";
    if (line->nfields != FIELDS)
        return "does not have five fields";
    if (strlen(line->field[NET]) >= UROM_WIRE_NAME_SIZE)
        return "has too many network devices";
    if (od_parse_pci_addr(line->field[PCI], pci) != 0)
        return "has no PCI address in its fourth field";
    return NULL;
}

static bool matches(const struct line *line, const struct od_pci_addr *pci,
                    const struct urom_file_query *query)
{
    bool host = false, device = false;

    for (size_t i = 0; i < query->nhosts; i++)
        host = host || strcasecmp(line->field[APP_HOST], query->hosts[i]) == 0;
    for (size_t i = 0; i < query->npcis; i++)
        device = device || od_pci_addr_equal(pci, &query->pcis[i]);
    return host && device && strcasecmp(line->field[TYPE], "dpu") == 0;
}

int urom_service_file_find(const char *text, size_t len, const struct urom_file_query *query,
                           struct urom_file_entry *entry, const char **why)
{
    const char *end = text + len;
    struct od_pci_addr pci;
    struct line line;

    for (unsigned int number = 1; text < end; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline != NULL ? newline : end;

        split(text, (size_t)(stop - text), &line);
        text = newline != NULL ? stop + 1 : end;
        if (line.nfields == 0 && !line.binary)
            continue;
        *why = complaint(&line, &pci);
        if (*why != NULL) {
            entry->line = number;
            return -EINVAL;
        }
        if (!matches(&line, &pci, query))
            continue;
        entry->line = number;
        snprintf(entry->host, sizeof(entry->host), "%s", line.field[DEV_HOST]);
        snprintf(entry->net_devices, sizeof(entry->net_devices), "%s", line.field[NET]);
        return 0;
    }
    return -ENOENT;
}
