/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of type DEVICE and DEVICE_REP. Each case has its own process, because the table of devices
 * and the role are fixed at their first use. */
#include "argp_fixture.h"

static const char devices[] =
    "{\"devices\": [\n"
    "  {\"role\": \"dpu\", \"pci\": \"0000:03:00.0\", \"card\": \"a\", \"ibdev\": \"mlx5_0\",\n"
    "   \"iface\": \"p0\", \"representors\": [\"0000:b1:00.0\"]},\n"
    "  {\"role\": \"dpu\", \"pci\": \"0000:04:00.0\", \"card\": \"b\", \"ibdev\": \"mlx5_1\",\n"
    "   \"iface\": \"p1\", \"representors\": [\"0000:b2:00.0\"]},\n"
    "  {\"role\": \"dpu\", \"pci\": \"0000:05:00.0\", \"card\": \"c\", \"access\": "
    "\"unreachable\"},\n"
    "  {\"role\": \"host\", \"pci\": \"0000:b1:00.0\", \"card\": \"a\", \"rep_iface\": "
    "\"pf0hpf\"},\n"
    "  {\"role\": \"host\", \"pci\": \"0000:b2:00.0\", \"card\": \"b\", \"rep_iface\": "
    "\"pf1hpf\"}\n"
    "]}\n";

static void show_dev(const struct doca_argp_device_ctx *ctx)
{
    char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];

    assert_int_equal(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(ctx->dev), pci),
                     DOCA_SUCCESS);
    printf("device %s args \"%s\"\n", pci, ctx->devargs);
    assert_int_equal(doca_dev_close(ctx->dev), DOCA_SUCCESS);
}

static doca_error_t on_device(void *value, void *config)
{
    (void)config;
    show_dev(value);
    return DOCA_SUCCESS;
}

static doca_error_t on_rep(void *value, void *config)
{
    struct doca_argp_device_rep_ctx *ctx = value;
    char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];

    (void)config;
    assert_int_equal(doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(ctx->dev_rep), pci),
                     DOCA_SUCCESS);
    printf("representor %s of ", pci);
    assert_int_equal(doca_dev_rep_close(ctx->dev_rep), DOCA_SUCCESS);
    show_dev(&ctx->dev_ctx);
    return DOCA_SUCCESS;
}

static void register_devices(void)
{
    struct doca_argp_param *device = make_param("d", "device", DOCA_ARGP_TYPE_DEVICE, 0);
    struct doca_argp_param *rep = make_param("r", "rep", DOCA_ARGP_TYPE_DEVICE_REP, 0);

    doca_argp_param_set_callback(device, on_device);
    doca_argp_param_set_callback(rep, on_rep);
    assert_int_equal(doca_argp_register_param(device), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_param(rep), DOCA_SUCCESS);
}

static void expect(const char *flag, const char *value, const char *text)
{
    struct outcome outcome = RUN(register_devices, flag, value);

    assert_string_equal(outcome.err, "");
    assert_string_equal(outcome.out, text);
    assert_int_equal(outcome.status, RETURNED);
}

static void refuse(const char *flag, const char *value, doca_error_t code, const char *text)
{
    struct outcome outcome = RUN(register_devices, flag, value);

    assert_contains(outcome.err, text);
    assert_string_equal(outcome.out, "");
    assert_int_equal(outcome.status, RETURNED + (int)code);
}

static void devices_by_address_and_name(void **state)
{
    (void)state;
    expect("-d", "0000:03:00.0", "device 0000:03:00.0 args \"\"\n");
    expect("-d", "04:00.0", "device 0000:04:00.0 args \"\"\n");
    expect("-d", "mlx5_1", "device 0000:04:00.0 args \"\"\n");
    expect("-d", "p0", "device 0000:03:00.0 args \"\"\n");
}

static void devargs_follow_the_first_comma(void **state)
{
    (void)state;
    expect("-d", "mlx5_0,a=1,b=2", "device 0000:03:00.0 args \"a=1,b=2\"\n");
    expect("-d", "mlx5_0,", "device 0000:03:00.0 args \"\"\n");
}

static void representors_by_address_and_name(void **state)
{
    (void)state;
    expect("-r", "b1:00.0", "representor 0000:b1:00.0 of device 0000:03:00.0 args \"\"\n");
    expect("-r", "0000:b2:00.0,x", "representor 0000:b2:00.0 of device 0000:04:00.0 args \"x\"\n");
    expect("-r", "pf1hpf", "representor 0000:b2:00.0 of device 0000:04:00.0 args \"\"\n");
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    refuse("-d", "0000:0f:00.0", DOCA_ERROR_NOT_FOUND, "-d, --device is \"0000:0f:00.0\"");
    refuse("-d", "nope,args", DOCA_ERROR_NOT_FOUND, "-d, --device is \"nope\"");
    refuse("-d", "", DOCA_ERROR_INVALID_VALUE, "-d, --device is \"\"; expected a PCI address");
    refuse("-d", ",args", DOCA_ERROR_INVALID_VALUE, "-d, --device is \",args\"");
    refuse("-r", "0000:03:00.0", DOCA_ERROR_NOT_FOUND, "there is no such representor");
}

static void failures_of_opening_are_returned(void **state)
{
    (void)state;
    refuse("-d", "05:00.0", DOCA_ERROR_NOT_CONNECTED, "-d, --device is \"05:00.0\", which cannot");
}

static void json_takes_the_same_texts(void **state)
{
    char *path = make_file("{\"device\": \"mlx5_0,a=1\", \"rep\": \"pf0hpf\"}");
    struct outcome outcome = RUN(register_devices, "-j", path);

    (void)state;
    assert_string_equal(outcome.out, "device 0000:03:00.0 args \"a=1\"\n"
                                     "representor 0000:b1:00.0 of device 0000:03:00.0 args \"\"\n");
    assert_int_equal(outcome.status, RETURNED);
    remove_file(path);
}

static doca_error_t open_mine(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev)
{
    assert_string_equal(usr_ctx, "mine");
    printf("my own way: ");
    return doca_dev_open(devinfo, dev);
}

static doca_error_t refuse_to_open(struct doca_devinfo *devinfo, void *usr_ctx,
                                   struct doca_dev **dev)
{
    (void)devinfo;
    (void)usr_ctx;
    (void)dev;
    return DOCA_ERROR_FULL;
}

static void with_open_callback(void)
{
    static char mine[] = "mine";

    register_devices();
    assert_int_equal(doca_argp_register_dev_open_callback(NULL, mine), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_register_dev_open_callback(open_mine, mine), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_dev_open_callback(open_mine, mine), DOCA_ERROR_BAD_STATE);
}

static void with_refusing_callback(void)
{
    register_devices();
    assert_int_equal(doca_argp_register_dev_open_callback(refuse_to_open, NULL), DOCA_SUCCESS);
}

static void the_program_may_open_by_itself(void **state)
{
    struct outcome outcome = RUN(with_open_callback, "-d", "mlx5_0", "-r", "pf0hpf");

    (void)state;
    assert_string_equal(outcome.out,
                        "my own way: device 0000:03:00.0 args \"\"\n"
                        "my own way: representor 0000:b1:00.0 of device 0000:03:00.0 args \"\"\n");
    assert_int_equal(outcome.status, RETURNED);
    outcome = RUN(with_refusing_callback, "-d", "mlx5_0");
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_FULL);
    outcome = RUN(with_refusing_callback, "-r", "pf0hpf");
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_FULL);
}

static void hosts_have_devices_and_no_representors(void **state)
{
    struct outcome outcome;

    (void)state;
    setenv("OPENDOCA_ROLE", "host", 1);
    outcome = RUN(register_devices, "-d", "b1:00.0");
    assert_string_equal(outcome.out, "device 0000:b1:00.0 args \"\"\n");
    outcome = RUN(register_devices, "-r", "b1:00.0");
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_NOT_FOUND);
    setenv("OPENDOCA_ROLE", "dpu", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_by_address_and_name),
        cmocka_unit_test(devargs_follow_the_first_comma),
        cmocka_unit_test(representors_by_address_and_name),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(failures_of_opening_are_returned),
        cmocka_unit_test(json_takes_the_same_texts),
        cmocka_unit_test(the_program_may_open_by_itself),
        cmocka_unit_test(hosts_have_devices_and_no_representors),
    };
    char *path = make_file(devices);
    int failures;

    setenv("OPENDOCA_CONFIG", path, 1);
    setenv("OPENDOCA_ROLE", "dpu", 1);
    failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove_file(path);
    return failures;
}
