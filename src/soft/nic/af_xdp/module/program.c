/* SPDX-License-Identifier: BSD-3-Clause */
/* The XDP program: loaded, attached by a link that ends with the process, told what is claimed. */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "soft/nic/af_xdp/module/af_xdp_priv.h"
#include "util/clock.h"

/* Made by the build; they need what is above. */
#include <port.skel.h>
#include <tags.skel.h>

/* BPF_F_XDP_DEV_BOUND_ONLY, which older headers do not have. */
#define DEVICE_BOUND (1u << 6)
/* How long the kernel may be asked again to take the program. */
#define LOAD_NS 10000000000u

struct shape {
    struct soft_nic_claim_keys mask;
    uint32_t used; /* claims; 0: free, its number may be given again */
};

/* Of the form that is loaded. */
struct parts {
    volatile struct af_xdp_control *control;
    int sockets, shapes, claims, sums; /* maps */
    int port, back;                    /* programs */
};

struct af_xdp_program {
    struct af_xdp_port *plain; /* this form or the other one is loaded */
    struct af_xdp_tags *tags;
    struct parts parts;
    int link;                  /* of the port's program; -1: not attached */
    struct soft_forked forked; /* of the link */
    int ncpus;
    struct af_xdp_sum *sums; /* of each core, for reading them */
    uint32_t all;            /* claims of everything */
    uint32_t nshapes;
    struct shape shapes[AF_XDP_SHAPES];
};

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static int say_nothing(enum libbpf_print_level level, const char *text, va_list args)
{
    (void)level;
    (void)text;
    (void)args;
    return 0;
}

static int xdp_says_nothing(enum libxdp_print_level level, const char *text, va_list args)
{
    (void)level;
    (void)text;
    (void)args;
    return 0;
}

static int fail(int err, const char *what)
{
    if (err == -EPERM || err == -EACCES)
        return soft_fail(-EPERM,
                         "%s: CAP_BPF, CAP_NET_ADMIN and CAP_NET_RAW are needed, at least one is "
                         "missing; run with them, or use a port of kind loop or pcap",
                         what);
    return soft_fail(err, "%s: %s", what, strerror(-err));
}

/* Both forms have the same ones, under the same names. */
static struct parts parts_of(const struct bpf_object *object,
                             volatile struct af_xdp_control *control)
{
    return (struct parts){
        .control = control,
        .sockets = bpf_object__find_map_fd_by_name(object, "sockets"),
        .shapes = bpf_object__find_map_fd_by_name(object, "shapes"),
        .claims = bpf_object__find_map_fd_by_name(object, "claims"),
        .sums = bpf_object__find_map_fd_by_name(object, "sums"),
        .port = bpf_program__fd(bpf_object__find_program_by_name(object, "od_port")),
        .back = bpf_program__fd(bpf_object__find_program_by_name(object, "od_back")),
    };
}

/* Fails on most kernels before 6.8, in drivers that do not know tags, and in the stack. */
static int try_tags(struct af_xdp_program *self, int ifindex)
{
    struct af_xdp_tags *form = af_xdp_tags__open();
    int err;

    if (form == NULL)
        return -errno;
    bpf_program__set_ifindex(form->progs.od_port, (uint32_t)ifindex);
    bpf_program__set_flags(form->progs.od_port, DEVICE_BOUND);
    err = af_xdp_tags__load(form);
    if (err != 0) {
        af_xdp_tags__destroy(form);
        return err;
    }
    self->tags = form;
    self->parts = parts_of(form->obj, &form->bss->control);
    return 0;
}

static int try_plain(struct af_xdp_program *self, int ifindex)
{
    struct af_xdp_port *form = af_xdp_port__open();
    int err;

    (void)ifindex;
    if (form == NULL)
        return -errno;
    err = af_xdp_port__load(form);
    if (err != 0) {
        af_xdp_port__destroy(form);
        return err;
    }
    self->plain = form;
    self->parts = parts_of(form->obj, &form->bss->control);
    return 0;
}

/* The kernel gives up the check of a program when a signal comes (EAGAIN): those that can wait do,
 * and for others, as of a debugger, it is asked again. */
static int load(struct af_xdp_program *self, int ifindex,
                int (*try_form)(struct af_xdp_program *self, int ifindex))
{
    const uint64_t end = od_now_ns() + LOAD_NS;
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    do {
        err = try_form(self, ifindex);
    } while (err == -EAGAIN && od_now_ns() < end);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

int af_xdp_program_load(int ifindex, struct af_xdp_program **out)
{
    struct af_xdp_program *self = calloc(1, sizeof(*self));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a port");
    self->link = -1;
    /* Both libraries speak to standard error otherwise; what went wrong is in our reasons. */
    libbpf_set_print(say_nothing);
    libxdp_set_print(xdp_says_nothing);
    self->ncpus = libbpf_num_possible_cpus();
    self->sums = self->ncpus > 0 ? calloc((size_t)self->ncpus, sizeof(*self->sums)) : NULL;
    if (self->sums == NULL) {
        err = soft_fail(-ENOMEM, "no memory for a port");
        goto err_unload;
    }
    if (ifindex == 0 || load(self, ifindex, try_tags) != 0) {
        err = load(self, ifindex, try_plain);
        if (err != 0) {
            err = fail(err, "loading the XDP program");
            goto err_unload;
        }
    }
    *out = self;
    return 0;

err_unload:
    af_xdp_program_unload(self);
    return err;
}

bool af_xdp_program_knows_tags(const struct af_xdp_program *self)
{
    return self->tags != NULL;
}

void af_xdp_program_set_longest(struct af_xdp_program *self, uint32_t longest)
{
    self->parts.control->longest = longest;
}

const volatile uint32_t *af_xdp_program_watch_sums(struct af_xdp_program *self)
{
    self->parts.control->sums = AF_XDP_SUMS_WATCHED;
    return &self->parts.control->sums;
}

int af_xdp_program_fd(const struct af_xdp_program *self)
{
    return self->parts.port;
}

static int fail_taken(int ifindex)
{
    char name[IF_NAMESIZE] = "NAME";

    if_indextoname((unsigned int)ifindex, name);
    return soft_fail(-EBUSY,
                     "interface %s has an XDP program already: of another program that has a port "
                     "there (see 'opendoca stats'), which has to end first, or of somebody else's: "
                     "'ip link set dev %s xdp off', or where that fails end who holds it ('bpftool "
                     "link' tells)",
                     name, name);
}

int af_xdp_program_attach(struct af_xdp_program *self, int ifindex, bool generic)
{
    LIBBPF_OPTS(bpf_link_create_opts, opts,
                .flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
    int link;

    soft_forked_enter();
    link = bpf_link_create(af_xdp_program_fd(self), ifindex, BPF_XDP, &opts);
    if (link >= 0) {
        self->link = link;
        self->forked = (struct soft_forked){.fd = link, .keeps_number = true};
        soft_forked_add(&self->forked);
    }
    soft_forked_leave();
    if (link == -EBUSY || link == -EEXIST)
        return fail_taken(ifindex);
    if (link < 0)
        return fail(link, generic
                              ? "attaching the XDP program to the stack"
                              : "attaching the XDP program to the driver (mode=generic may do)");
    return 0;
}

int af_xdp_program_add_socket(struct af_xdp_program *self, uint32_t queue, int fd)
{
    int err = bpf_map_update_elem(self->parts.sockets, &queue, &fd, BPF_ANY);

    return err == 0 ? 0 : fail(err, "the map of sockets");
}

void af_xdp_program_unload(struct af_xdp_program *self)
{
    if (self == NULL)
        return;
    soft_forked_enter();
    soft_forked_remove(&self->forked);
    if (self->link >= 0)
        close(self->link);
    soft_forked_leave();
    if (self->plain != NULL)
        af_xdp_port__destroy(self->plain);
    if (self->tags != NULL)
        af_xdp_tags__destroy(self->tags);
    free(self->sums);
    free(self);
}

/* ------------------------------------------------------------------------------------------------
 * Claims
 */

static bool is_zero(const struct soft_nic_claim_keys *keys)
{
    static const struct soft_nic_claim_keys zero;

    return memcmp(keys, &zero, sizeof(zero)) == 0;
}

/* -1: there is none, or no place for it. */
static int find_shape(const struct af_xdp_program *self, const struct soft_nic_claim_keys *mask,
                      bool adds)
{
    int unused = self->nshapes < AF_XDP_SHAPES ? (int)self->nshapes : -1;

    for (uint32_t i = 0; i < self->nshapes; i++) {
        if (memcmp(&self->shapes[i].mask, mask, sizeof(*mask)) == 0)
            return (int)i;
        if (self->shapes[i].used == 0)
            unused = (int)i;
    }
    return adds ? unused : -1;
}

static int claim_all(struct af_xdp_program *self, bool on)
{
    self->all += on ? 1 : UINT32_MAX;
    self->parts.control->all = self->all;
    return 0;
}

static int add_shape(struct af_xdp_program *self, uint32_t number,
                     const struct soft_nic_claim_keys *mask)
{
    int err = bpf_map_update_elem(self->parts.shapes, &number, mask, BPF_ANY);

    if (err != 0)
        return err;
    self->shapes[number].mask = *mask;
    if (number == self->nshapes)
        self->parts.control->nshapes = ++self->nshapes;
    return 0;
}

/* The program looks for no more shapes than there are; for none it does not even read frames. */
static void forget_shapes(struct af_xdp_program *self)
{
    while (self->nshapes > 0 && self->shapes[self->nshapes - 1].used == 0)
        self->nshapes--;
    self->parts.control->nshapes = self->nshapes;
}

/* How often it is claimed is the map's value. */
static int change(struct af_xdp_program *self, struct shape *shape, const struct af_xdp_claim *key,
                  bool on)
{
    int map = self->parts.claims, err;
    uint32_t count = 0;

    (void)bpf_map_lookup_elem(map, key, &count);
    if (!on && count == 0)
        return 0;
    count += on ? 1 : UINT32_MAX;
    err =
        count == 0 ? bpf_map_delete_elem(map, key) : bpf_map_update_elem(map, key, &count, BPF_ANY);
    if (err != 0)
        return err;
    shape->used += on ? 1 : UINT32_MAX;
    if (!on)
        forget_shapes(self);
    return 0;
}

int af_xdp_program_claim(struct af_xdp_program *self, const struct soft_nic_claim *claim, bool on)
{
    struct af_xdp_claim key = {.value = claim->value};
    int number = find_shape(self, &claim->mask, on), err = 0;

    if (is_zero(&claim->mask))
        return claim_all(self, on);
    if (number >= 0 && on && self->shapes[number].used == 0)
        err = add_shape(self, (uint32_t)number, &claim->mask);
    key.shape = (uint64_t)number;
    if (number >= 0 && err == 0)
        err = change(self, &self->shapes[number], &key, on);
    /* Too many: from here on everything goes through the classifier. */
    return on && (number < 0 || err != 0) ? claim_all(self, true) : 0;
}

/* ------------------------------------------------------------------------------------------------
 * Frames that do not come here
 */

void af_xdp_program_sums(struct af_xdp_program *self, struct af_xdp_sum *sum)
{
    uint32_t zero = 0;

    *sum = (struct af_xdp_sum){0};
    if (bpf_map_lookup_elem(self->parts.sums, &zero, self->sums) != 0)
        return;
    for (int i = 0; i < self->ncpus; i++) {
        sum->passed += self->sums[i].passed;
        sum->passed_bytes += self->sums[i].passed_bytes;
        sum->oversize += self->sums[i].oversize;
        sum->oversize_bytes += self->sums[i].oversize_bytes;
    }
}

/* The kernel runs a program that passes the frame, as if it had come from the interface. */
bool af_xdp_program_to_stack(struct af_xdp_program *self, int ifindex, const void *frame,
                             uint32_t len)
{
    struct xdp_md ctx = {.data_end = len, .ingress_ifindex = (uint32_t)ifindex};
    LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len, .ctx_in = &ctx,
                .ctx_size_in = sizeof(ctx), .repeat = 1, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

    return bpf_prog_test_run_opts(self->parts.back, &opts) == 0;
}
