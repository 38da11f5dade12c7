/* SPDX-License-Identifier: BSD-3-Clause */
/* Which plugins there are. An id is a plugin's for the life of the daemon, also when its file goes
 * and comes back. */
#include "urom/daemon/daemon_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <doca_log.h>

#include "urom/wire/pack.h"

DOCA_LOG_REGISTER(UROM::DAEMON::PLUGINS);

#define SUFFIX    ".so"
#define FILES_MAX 1024

/* ------------------------------------------------------------------------------------------------
 * Folders
 */

/* The folder number `index` of the path; false behind the last. */
static bool folder_at(const char *path, size_t index, char folder[PATH_MAX])
{
    for (;;) {
        size_t len = strcspn(path, ";:");

        if (len > 0 && index-- == 0) {
            if (len >= PATH_MAX)
                len = PATH_MAX - 1;
            memcpy(folder, path, len);
            folder[len] = '\0';
            return true;
        }
        if (path[len] == '\0')
            return false;
        path += len + 1;
    }
}

static int64_t changed_ns(const char *folder)
{
    struct stat st;

    if (stat(folder, &st) != 0)
        return 0;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* ------------------------------------------------------------------------------------------------
 * Files
 */

static struct daemon_plugin *find_name(struct daemon *daemon, const char *name)
{
    for (size_t i = 0; i < daemon->nplugins; i++) {
        if (strcmp(daemon->plugins[i].name, name) == 0)
            return &daemon->plugins[i];
    }
    return NULL;
}

/* The plugin of a name, with the next free id when it is new. NULL: no more ids. */
static struct daemon_plugin *ensure(struct daemon *daemon, const char *name)
{
    struct daemon_plugin *plugin = find_name(daemon, name);

    if (plugin != NULL)
        return plugin;
    if (daemon->nplugins == UROM_WIRE_PLUGINS_MAX) {
        DOCA_LOG_WARN("plugin %s is left out: there are %d already", name, UROM_WIRE_PLUGINS_MAX);
        return NULL;
    }
    plugin = &daemon->plugins[daemon->nplugins];
    *plugin = (struct daemon_plugin){.id = 1ull << daemon->nplugins};
    urom_text_set(plugin->name, sizeof(plugin->name), name);
    daemon->nplugins++;
    return plugin;
}

static bool is_same_file(const struct daemon_plugin *plugin, const char *path,
                         const struct stat *st)
{
    return strcmp(plugin->path, path) == 0 && plugin->dev == st->st_dev &&
           plugin->ino == st->st_ino &&
           plugin->mtime_ns == (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void take_file(struct daemon *daemon, const char *folder, const char *file)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    const size_t len = strlen(file) - strlen(SUFFIX);
    struct daemon_plugin *plugin;
    struct stat st;

    if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path) ||
        stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    if (len >= DOCA_UROM_PLUGIN_NAME_MAX_LEN) {
        DOCA_LOG_WARN("plugin %s is left out: its name has more than %d letters", path,
                      DOCA_UROM_PLUGIN_NAME_MAX_LEN - 1);
        return;
    }
    memcpy(name, file, len);
    name[len] = '\0';
    plugin = ensure(daemon, name);
    if (plugin == NULL || plugin->present)
        return; /* an earlier folder has one of this name */
    plugin->present = true;
    if (is_same_file(plugin, path, &st))
        return;
    snprintf(plugin->path, sizeof(plugin->path), "%s", path);
    plugin->dev = st.st_dev;
    plugin->ino = st.st_ino;
    plugin->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    plugin->usable = false;
    daemon_probe_begin(daemon, (size_t)(plugin - daemon->plugins));
}

static int is_plugin_file(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);

    return len > strlen(SUFFIX) && strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX) == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* 0, or an errno. */
static int scan_folder(struct daemon *daemon, const char *folder)
{
    struct dirent **files;
    int count = scandir(folder, &files, is_plugin_file, by_bytes);

    if (count < 0) {
        const int err = errno;

        DOCA_LOG_WARN("folder of plugins %s: %s", folder, strerror(err));
        return err;
    }
    for (int i = 0; i < count; i++) {
        if (i < FILES_MAX)
            take_file(daemon, folder, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * The table
 */

void daemon_plugins_scan(struct daemon *daemon)
{
    char folder[PATH_MAX];

    /* What a running probe finds out would be of an earlier scan. */
    if (daemon_plugins_busy(daemon)) {
        daemon->rescan = true;
        return;
    }
    daemon->rescan = false;
    for (size_t i = 0; i < daemon->nplugins; i++)
        daemon->plugins[i].present = false;
    for (size_t i = 0; i < SOURCES_MAX && folder_at(daemon->options.plugin_path, i, folder); i++) {
        daemon->scanned_ns[i] = changed_ns(folder);
        daemon->scan_errno[i] = scan_folder(daemon, folder);
    }
}

void daemon_plugins_look(struct daemon *daemon)
{
    char folder[PATH_MAX];
    bool changed = daemon->rescan;

    if (daemon_plugins_busy(daemon))
        return;
    for (size_t i = 0; i < SOURCES_MAX && folder_at(daemon->options.plugin_path, i, folder); i++)
        changed = changed || changed_ns(folder) != daemon->scanned_ns[i];
    if (changed)
        daemon_plugins_scan(daemon);
}

bool daemon_plugins_folder(const struct daemon *daemon, size_t index, char folder[PATH_MAX],
                           int *err)
{
    if (index >= SOURCES_MAX || !folder_at(daemon->options.plugin_path, index, folder))
        return false;
    *err = daemon->scan_errno[index];
    return true;
}

bool daemon_plugins_busy(const struct daemon *daemon)
{
    return !od_list_is_empty(&daemon->probes);
}

uint32_t daemon_plugins_list(const struct daemon *daemon,
                             struct doca_urom_service_plugin_info list[UROM_WIRE_PLUGINS_MAX])
{
    uint32_t count = 0;

    for (size_t i = 0; i < daemon->nplugins; i++) {
        const struct daemon_plugin *plugin = &daemon->plugins[i];

        if (!plugin->present || !plugin->usable)
            continue;
        list[count] =
            (struct doca_urom_service_plugin_info){.id = plugin->id, .version = plugin->version};
        urom_text_set(list[count].plugin_name, sizeof(list[count].plugin_name), plugin->name);
        count++;
    }
    return count;
}

const struct daemon_plugin *daemon_plugin_by_id(const struct daemon *daemon, uint64_t id)
{
    const unsigned int bit = (unsigned int)__builtin_ctzll(id);

    return bit < daemon->nplugins ? &daemon->plugins[bit] : NULL;
}
