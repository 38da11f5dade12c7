/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soft/peer/desc.h"

static struct soft_peer_desc sample(void)
{
    struct soft_peer_desc desc = {
        .kind = SOFT_PEER_KIND_PCI,
        .access = SOFT_PEER_READ,
        .mask = 2,
        .pid = 1234,
        .base = 0x7f0000001001,
        .len = 77,
        .id = 5,
        .token = {1, 2, 3},
        .dir = "/run/opendoca-0",
        .card = "card-0",
    };

    soft_peer_desc_seal(&desc, NULL, 0);
    return desc;
}

static void parse_gives_back_what_was_sealed(void **state)
{
    struct soft_peer_desc desc = sample(), parsed;
    uint8_t odd[sizeof(desc) + 1];

    (void)state;
    memcpy(odd + 1, &desc, sizeof(desc));
    assert_int_equal(soft_peer_desc_parse(odd + 1, sizeof(desc), &parsed), 0);
    assert_memory_equal(&parsed, &desc, sizeof(desc));
    assert_true(soft_peer_desc_equal(&parsed, &desc));
    parsed.check ^= 1;
    assert_false(soft_peer_desc_equal(&parsed, &desc));
}

static void every_changed_bit_shows(void **state)
{
    struct soft_peer_desc desc = sample(), parsed;
    uint8_t *bytes = (uint8_t *)&desc;

    (void)state;
    memset(&parsed, 0xaa, sizeof(parsed));
    for (size_t i = 0; i < 8 * sizeof(desc); i++) {
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(soft_peer_desc_parse(&desc, sizeof(desc), &parsed), -EBADMSG);
        bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    assert_int_equal(parsed.kind, 0xaaaaaaaau); /* outputs are written on success only */
    for (size_t i = 0; i + 1 < sizeof(desc); i++)
        if (bytes[i] != bytes[i + 1]) {
            uint8_t kept[2] = {bytes[i], bytes[i + 1]};

            bytes[i] = kept[1];
            bytes[i + 1] = kept[0];
            assert_int_equal(soft_peer_desc_parse(&desc, sizeof(desc), &parsed), -EBADMSG);
            memcpy(&bytes[i], kept, 2);
        }
}

static void every_other_length_shows(void **state)
{
    uint8_t bytes[2 * SOFT_PEER_DESC_MAX] = {0};
    struct soft_peer_desc desc = sample(), parsed;

    (void)state;
    memcpy(bytes, &desc, sizeof(desc));
    for (size_t len = 0; len <= sizeof(bytes); len++)
        assert_int_equal(soft_peer_desc_parse(bytes, len, &parsed),
                         len == sizeof(desc) ? 0 : -EBADMSG);
    assert_int_equal(soft_peer_desc_parse(NULL, 0, &parsed), -EBADMSG);
    assert_non_null(strstr(soft_reason(), "export descriptor"));
}

/* The sum over all bytes but the last 8, as every version must have it. */
static void seal_bytes(uint8_t *bytes, size_t len)
{
    uint64_t sum = 0xcbf29ce484222325u;

    for (size_t i = 0; i < len - 8; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    memcpy(bytes + len - 8, &sum, 8);
}

static void a_newer_version_is_told_apart(void **state)
{
    uint8_t bytes[SOFT_PEER_DESC_MAX] = {0};
    struct soft_peer_desc desc = sample(), parsed;

    (void)state;
    for (uint32_t size = 64; size <= sizeof(bytes); size += 8) {
        desc.version = PEER_DESC_VERSION + 1;
        desc.size = size;
        memcpy(bytes, &desc, OD_MIN(size, sizeof(desc)));
        seal_bytes(bytes, size);
        assert_int_equal(soft_peer_desc_parse(bytes, size, &parsed), -EPROTO);
        bytes[20] ^= 1;
        assert_int_equal(soft_peer_desc_parse(bytes, size, &parsed), -EBADMSG);
    }
    desc.version = 0;
    desc.size = sizeof(desc);
    seal_bytes((uint8_t *)&desc, sizeof(desc));
    assert_int_equal(soft_peer_desc_parse(&desc, sizeof(desc), &parsed), -EBADMSG);
}

static int parse_sealed(struct soft_peer_desc desc)
{
    struct soft_peer_desc parsed;

    soft_peer_desc_seal(&desc, NULL, 0);
    return soft_peer_desc_parse(&desc, sizeof(desc), &parsed);
}

static void made_up_values_are_refused(void **state)
{
    struct soft_peer_desc desc = sample();

    (void)state;
    assert_int_equal(parse_sealed(desc), 0);
    desc.kind = SOFT_PEER_KIND_QUEUE + 1;
    assert_int_equal(parse_sealed(desc), -EBADMSG);
    desc = sample();
    desc.access = 8;
    assert_int_equal(parse_sealed(desc), -EBADMSG);
    desc = sample();
    desc.len = 0;
    assert_int_equal(parse_sealed(desc), -EBADMSG);
    desc = sample();
    desc.len = UINT64_MAX;
    assert_int_equal(parse_sealed(desc), -EBADMSG);
    desc = sample();
    memset(desc.dir, 'x', sizeof(desc.dir));
    desc.dir[0] = '/';
    assert_int_equal(parse_sealed(desc), -EBADMSG);
    desc = sample();
    strcpy(desc.dir, "run");
    assert_int_equal(parse_sealed(desc), -EBADMSG);
    desc = sample();
    desc.card[0] = '\0';
    assert_int_equal(parse_sealed(desc), -EBADMSG);
    desc = sample();
    desc.card[sizeof(desc.card) - 1] = 'x';
    assert_int_equal(parse_sealed(desc), -EBADMSG);
}

static void an_access_token_makes_another_descriptor(void **state)
{
    struct soft_peer_desc a = sample(), b = sample(), c = sample();

    (void)state;
    soft_peer_desc_seal(&b, "secret", 6);
    soft_peer_desc_seal(&c, "secrex", 6);
    assert_false(soft_peer_desc_equal(&a, &b));
    assert_false(soft_peer_desc_equal(&b, &c));
    assert_int_equal(soft_peer_desc_parse(&b, sizeof(b), &a), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_gives_back_what_was_sealed),
        cmocka_unit_test(every_changed_bit_shows),
        cmocka_unit_test(every_other_length_shows),
        cmocka_unit_test(a_newer_version_is_told_apart),
        cmocka_unit_test(made_up_values_are_refused),
        cmocka_unit_test(an_access_token_makes_another_descriptor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
