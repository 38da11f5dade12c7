/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ARGP_ARGP_PRIV_H_
#define ARGP_ARGP_PRIV_H_

/* What the files of libdoca_argp share. There is one parser a process, used by one thread.
 *
 * argp.c life cycle, param.c and cmd.c the objects, standard.c the built-in flags, parse.c the
 * command line, json.c the parameter file, value.c text to typed values, device.c devices by name,
 * dpdk.c flags for DPDK, help.c the help text, message.c what the user is told. */

#include <doca_argp.h>
#include <jansson.h>

#include "core/core_priv.h"
#include "util/list.h"

enum argp_standard {
    ARGP_NOT_STANDARD = 0,
    ARGP_HELP,
    ARGP_VERSION,
    ARGP_LOG_LEVEL,
    ARGP_SDK_LOG_LEVEL,
    ARGP_JSON,
};

enum argp_source {
    ARGP_FROM_CLI,
    ARGP_FROM_JSON,
    ARGP_SOURCES,
};

struct doca_argp_param {
    struct od_list link; /* in its owner's params */
    struct doca_argp_cmd *owner;
    char *short_name;
    char *long_name;
    char *arguments;
    char *description;
    doca_argp_param_cb_t callback;
    enum doca_argp_type type;
    enum argp_standard standard;
    bool mandatory;
    bool cli_only;
    bool multiplicity;
    bool singular;
    bool inherited;
    bool hidden;
    bool out_of_memory; /* a setter could not copy its string; registering reports it */
    bool owned;         /* handed over by a register call, successful or not */
    uint32_t given[ARGP_SOURCES];
};

struct doca_argp_cmd {
    struct od_list link; /* in its parent's cmds */
    struct doca_argp_cmd *parent;
    char *name;
    char *description;
    doca_argp_cmd_cb_t callback;
    bool hidden;
    bool out_of_memory;
    bool owned;
    struct od_list params;
    struct od_list cmds;
};

enum argp_state {
    ARGP_INITIALISED,
    ARGP_PARSING,
    ARGP_PARSED,
};

/* Arguments for DPDK from the parameter file. */
struct argp_dpdk_args {
    char **argv;
    size_t argc;
};

struct argp {
    enum argp_state state;
    bool doomed; /* destroyed by a callback: freed when doca_argp_start() comes back */
    char *name;
    bool name_from_argv;
    void *config;
    doca_argp_param_cb_t version_cb;
    doca_argp_validation_cb_t validation_cb;
    doca_argp_dev_open_cb_t dev_open_cb;
    void *dev_open_ctx;
    doca_argp_logger_cb_t logger_cb;
    doca_argp_dpdk_cb_t dpdk_cb;
    bool lenient; /* unknown keys of the parameter file are passed over */
    struct doca_argp_cmd standard;
    struct doca_argp_cmd root;
    struct doca_argp_cmd *scope;   /* the active command, or the root */
    struct doca_argp_cmd *deepest; /* the last command of the whole command line */
    const char *first_given;       /* name of the first flag that a singular one excludes */
    const char *singular_given;
    int log_level; /* 0: not given */
    int sdk_log_level;
    json_t *json; /* while parsing only */
    const char *json_path;
    struct argp_dpdk_args dpdk_args;
};

/* Where a start with a parameter file in memory takes it from; for tests and fuzzing. */
struct argp_json_text {
    const char *path; /* for messages */
    const char *text;
    size_t len;
};

/* argp.c: NULL when there is no parser. */
struct argp *argp_current(void);

/* The parser while it can be configured; NULL, after one log line, before init and from start on.
 */
struct argp *argp_configurable(const char *func);

/* What a callback returned, or BAD_STATE when it destroyed the parser. Logs failures. `what` is the
 * flag, command, or kind of callback. */
doca_error_t argp_callback_result(struct argp *argp, doca_error_t result, const char *what);

/* Where objects go whose registration failed. Emptied by doca_argp_destroy(). */
void argp_bury_param(struct doca_argp_param *param);
void argp_bury_cmd(struct doca_argp_cmd *cmd);

/* doca_argp_start() with the text of the parameter file given, so that no "-j" is needed. */
CORE_API doca_error_t argp_start_with_json(int argc, char **argv,
                                           const struct argp_json_text *json);

/* param.c */
struct doca_argp_param *argp_param_new(void);
void argp_param_free(struct doca_argp_param *param);
/* The setters' half that copies. False, and the object remembers, when the heap is exhausted. */
bool argp_set_string(char **field, const char *value);
/* Registers in the command or the root. The object is owned afterwards, whatever is returned. */
doca_error_t argp_param_register(struct argp *argp, struct doca_argp_cmd *owner,
                                 struct doca_argp_param *param, const char *func);
/* The parameter of that list whose name has exactly these `len` bytes; NULL. */
struct doca_argp_param *argp_find_short(const struct od_list *params, const char *name);
struct doca_argp_param *argp_find_long(const struct od_list *params, const char *name, size_t len);
/* The name for messages and keys: the long one if there is one. */
const char *argp_param_name(const struct doca_argp_param *param);
/* "-s, --long" */
#define ARGP_LABEL_SIZE 160
void argp_param_label(const struct doca_argp_param *param, char label[ARGP_LABEL_SIZE]);
/* Counts an occurrence. Refuses a repeated flag, and companions of a singular one. */
doca_error_t argp_param_count(struct argp *argp, struct doca_argp_param *param,
                              enum argp_source source, const char *label);
doca_error_t argp_param_call(struct argp *argp, const struct doca_argp_param *param,
                             const char *label, void *value);

/* cmd.c */
void argp_cmd_init(struct doca_argp_cmd *cmd);
/* Frees all that is registered in the command. */
void argp_cmd_clear(struct doca_argp_cmd *cmd);
void argp_cmd_free(struct doca_argp_cmd *cmd);
/* INITIALIZATION when a parameter has the name of one that its command inherits. */
doca_error_t argp_cmd_check_tree(const struct argp *argp, const struct doca_argp_cmd *cmd);
doca_error_t argp_cmd_register(struct doca_argp_cmd *parent, struct doca_argp_cmd *cmd,
                               const char *func);

/* standard.c */
doca_error_t argp_standard_init(struct argp *argp);
/* The log level flags; the others act before the parsing proper. */
doca_error_t argp_standard_apply(struct argp *argp, const struct doca_argp_param *param,
                                 const char *label, const char *text);
/* Prints and exits, or returns the failure of the program's version callback. */
doca_error_t argp_standard_version(struct argp *argp);

/* parse.c */
doca_error_t argp_parse(struct argp *argp, int argc, char **argv,
                        const struct argp_json_text *json);

/* json.c */
doca_error_t argp_json_load_file(struct argp *argp, const char *path);
doca_error_t argp_json_load_text(struct argp *argp, const char *path, const char *text, size_t len);
/* Applies what the file has for parameters that belong to this command (built-in flags and the
 * flags for DPDK: to the root). */
doca_error_t argp_json_apply(struct argp *argp, struct doca_argp_cmd *cmd);
void argp_json_unload(struct argp *argp);

/* comments.c: overwrites the comments of a JSON text with blanks, so that lines and columns stay
 * what they are. Returns 0, or the line on which an unclosed comment begins. */
int argp_blank_comments(char *text, size_t len);

/* value.c: converts and hands to the parameter's callback. */
doca_error_t argp_value_from_text(struct argp *argp, const struct doca_argp_param *param,
                                  const char *label, char *text);
doca_error_t argp_value_from_int(struct argp *argp, const struct doca_argp_param *param,
                                 const char *label, int64_t number);

/* device.c: opens what the text names and hands it to the parameter's callback. */
doca_error_t argp_device_value(struct argp *argp, const struct doca_argp_param *param,
                               const char *label, const char *text);

/* dpdk.c */
doca_error_t argp_dpdk_take_json(struct argp *argp, const json_t *section);
/* argv[0..argc-1]: the program's name and the flags of the command line for DPDK. */
doca_error_t argp_dpdk_run(struct argp *argp, int argc, char **argv);
void argp_dpdk_clear(struct argp *argp);

/* help.c: the help text for the active command; NULL when the heap is exhausted. The caller frees.
 */
char *argp_help_text(const struct argp *argp);

/* message.c: to the logger callback, else to stderr. */
void argp_say(const struct argp *argp, enum doca_log_level level, const char *fmt, ...)
    OD_PRINTF(3, 4);

/* A failure of doca_argp_start() that the user can mend. Tells "<name>: <what> is <problem>;
 * expected <expected>" and, unless it is about a file, the usage; leaves the log line; returns the
 * code. `expected` may be NULL. */
doca_error_t argp_fail(const struct argp *argp, doca_error_t code, const char *what,
                       const char *expected, const char *problem, ...) OD_PRINTF(5, 6) OD_COLD;

doca_error_t argp_fail_no_memory(const struct argp *argp, const char *what) OD_COLD;

#endif /* ARGP_ARGP_PRIV_H_ */
