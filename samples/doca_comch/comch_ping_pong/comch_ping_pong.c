/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: the host sends a text many times and waits for each answer, the DPU answers each one.
 * Start both, in any order.
 *
 *     comch_ping_pong [TEXT [ROUNDS]]        (the DPU needs no arguments)
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/channel.h"

#define SERVICE "ping_pong"

#ifdef DOCA_ARCH_DPU

static void answer(struct sample_channel *channel, const uint8_t *bytes, uint32_t len)
{
    if (channel->received == 1)
        printf("the host says: %.*s\n", (int)len, (const char *)bytes);
    if (sample_channel_send(channel, bytes, len) != DOCA_SUCCESS)
        channel->failed++;
}

static doca_error_t play(struct sample_channel *channel)
{
    while (sample_channel_step(channel) == DOCA_SUCCESS && channel->failed == 0)
        continue;
    printf("%llu messages answered\n", (unsigned long long)channel->received);
    return channel->failed == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

#else

struct game {
    const char *text;
    uint64_t rounds;
    uint64_t wrong;
};

static void compare(struct sample_channel *channel, const uint8_t *bytes, uint32_t len)
{
    struct game *game = channel->user;

    if (len != strlen(game->text) || memcmp(bytes, game->text, len) != 0)
        game->wrong++;
}

static doca_error_t play(struct sample_channel *channel)
{
    struct game *game = channel->user;
    doca_error_t result = DOCA_SUCCESS;

    for (uint64_t i = 0; i < game->rounds && result == DOCA_SUCCESS; i++) {
        result = sample_channel_send(channel, game->text, (uint32_t)strlen(game->text));
        while (result == DOCA_SUCCESS && channel->received == i)
            result = sample_channel_step(channel);
    }
    printf("%llu answers\n", (unsigned long long)channel->received);
    return result == DOCA_SUCCESS && game->wrong > 0 ? DOCA_ERROR_UNEXPECTED : result;
}

#endif

int main(int argc, char **argv)
{
#ifdef DOCA_ARCH_DPU
    struct sample_channel channel = {.on_message = answer};
#else
    struct game game = {.text = argc > 1 ? argv[1] : "ping",
                        .rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000};
    struct sample_channel channel = {.on_message = compare, .user = &game};
#endif
    doca_error_t result;

    (void)argc;
    (void)argv;
    device_open_log();
    result = sample_channel_open(&channel, SERVICE);
    if (result == DOCA_SUCCESS) {
        result = play(&channel);
        sample_channel_close(&channel);
    }
    return sample_exit(result);
}
