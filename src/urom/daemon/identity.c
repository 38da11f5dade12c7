/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/daemon_priv.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>

#include "soft/service/token.h"

DOCA_LOG_REGISTER(UROM::DAEMON::IDENTITY);

#define DEFAULT_GROUP "urom"
#define GROUPS_MAX    128

_Static_assert(UROM_SECRET_SIZE == SOFT_TOKEN_MAX, "a whole token");

int daemon_identity_reload(struct daemon *daemon)
{
    const char *path = daemon->options.token_file;
    int err;

    if (path[0] == '\0')
        return 0;
    err = soft_token_read("token file", path, daemon->secret, &daemon->secret_len);
    if (err != 0)
        DOCA_LOG_ERR("%s", soft_reason());
    return err;
}

/* ------------------------------------------------------------------------------------------------
 * This machine's users
 */

static bool has_gid(const gid_t *gids, size_t count, gid_t gid)
{
    for (size_t i = 0; i < count; i++) {
        if (gids[i] == gid)
            return true;
    }
    return false;
}

/* Is one of the user's groups admitted? */
static bool group_is_allowed(const struct daemon *daemon, uid_t uid, gid_t gid)
{
    const struct group *standard = getgrnam(DEFAULT_GROUP);
    const struct passwd *user = getpwuid(uid);
    gid_t groups[GROUPS_MAX] = {gid};
    int count = 1;

    if (user != NULL) {
        count = GROUPS_MAX;
        if (getgrouplist(user->pw_name, gid, groups, &count) < 0)
            count = GROUPS_MAX;
    }
    for (int i = 0; i < count; i++) {
        if ((standard != NULL && groups[i] == standard->gr_gid) ||
            has_gid(daemon->options.gids, daemon->options.ngids, groups[i]))
            return true;
    }
    return false;
}

static bool user_is_allowed(const struct daemon *daemon, uid_t uid, gid_t gid, const char **why)
{
    if (uid == daemon->uid)
        return true;
    if (daemon->uid != 0) {
        *why = "a daemon that is not root serves its own user only";
        return false;
    }
    for (size_t i = 0; i < daemon->options.nuids; i++) {
        if (daemon->options.uids[i] == uid)
            return true;
    }
    if (group_is_allowed(daemon, uid, gid))
        return true;
    *why = "neither --allow-uid nor --allow-gid admits this user";
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Other machines
 */

/* Of a peer's address, which a transport may lead. */
static int parse_peer(const char *addr, struct od_host *host)
{
    if (strncmp(addr, "tcp:", 4) == 0 || strncmp(addr, "ucx:", 4) == 0)
        addr += 4;
    return od_host_parse(addr, host);
}

/* Takes as long for a wrong token as for the right one. */
static bool knows_secret(const struct daemon *daemon, const struct urom_hello *hello)
{
    uint8_t difference = daemon->secret_len != hello->secret_len;

    for (uint32_t i = 0; i < UROM_SECRET_SIZE; i++)
        difference |= (uint8_t)((i < daemon->secret_len ? daemon->secret[i] : 0) ^
                                (i < hello->secret_len ? hello->secret[i] : 0));
    return difference == 0;
}

static bool host_is_allowed(const struct daemon *daemon, const struct soft_link_peer *peer,
                            const struct urom_hello *hello, const char **why)
{
    struct od_host host;
    bool listed = false;

    if (parse_peer(peer->addr, &host) != 0) {
        *why = "its address cannot be read";
        return false;
    }
    for (size_t i = 0; i < daemon->options.nnets; i++)
        listed = listed || od_net_has(&daemon->options.nets[i], &host);
    if (!listed && !od_host_is_loopback(&host)) {
        *why = "--allow-net does not admit this address";
        return false;
    }
    if (daemon->secret_len == 0 && !od_host_is_loopback(&host)) {
        *why = "the daemon has no --token-file, which other hosts need";
        return false;
    }
    /* Later links show the key of a session that was let in. */
    if (daemon->secret_len > 0 && hello->kind != UROM_KIND_WORKER && !knows_secret(daemon, hello)) {
        *why = "its token (DOCA_UROM_TOKEN_FILE) is missing or wrong";
        return false;
    }
    return true;
}

static void remote_user(const struct daemon *daemon, struct daemon_identity *identity)
{
    const struct passwd *user = NULL;

    identity->uid = daemon->uid;
    identity->gid = getgid();
    if (daemon->options.remote_user[0] != '\0')
        user = getpwnam(daemon->options.remote_user);
    if (user != NULL) {
        identity->uid = user->pw_uid;
        identity->gid = user->pw_gid;
    }
}

bool daemon_identify(struct daemon *daemon, const struct soft_link *link,
                     const struct urom_hello *hello, struct daemon_identity *identity,
                     const char **why)
{
    struct soft_link_peer peer;

    soft_link_peer_info(link, &peer);
    *identity = (struct daemon_identity){
        .uid = peer.uid, .gid = peer.gid, .pid = peer.pid, .remote = peer.uid == (uid_t)-1};
    if (identity->remote) {
        remote_user(daemon, identity);
        snprintf(identity->text, sizeof(identity->text), "process %u at %s", hello->pid, peer.addr);
        return host_is_allowed(daemon, &peer, hello, why);
    }
    snprintf(identity->text, sizeof(identity->text), "process %d of user %u", (int)peer.pid,
             peer.uid);
    return user_is_allowed(daemon, peer.uid, peer.gid, why);
}
