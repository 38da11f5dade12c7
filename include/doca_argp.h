/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Command line and JSON parameter files of a program.
 *
 * There is one parser a process, used by one thread. Order of calls: doca_argp_init(), register
 * parameters, commands and callbacks, doca_argp_start() once, doca_argp_destroy(); then the cycle
 * may begin anew. doca_argp_start() runs the callbacks in the order in which the flags appear, then
 * checks that the mandatory parameters were given, then runs the validation callback.
 *
 * A parameter or a command is created, described with its setters and registered. Registering
 * hands the object to the parser, whether it succeeds or fails; the destroy calls are for objects
 * that were never registered. Setters copy their strings, accept no object that was registered,
 * and ignore NULL.
 *
 * Built in: -h --help, -v --version, -l --log-level, --sdk-log-level, -j --json.
 */

#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What kind of value a parameter takes, and what its callback is handed. */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,    /**< not set yet; cannot be registered */
    DOCA_ARGP_TYPE_STRING = 1,     /**< any text; char * */
    DOCA_ARGP_TYPE_INT = 2,        /**< a decimal 32-bit integer; int * */
    DOCA_ARGP_TYPE_BOOLEAN = 3,    /**< no value on the command line, true if present; bool * */
    DOCA_ARGP_TYPE_DEVICE = 4,     /**< a device to open; struct doca_argp_device_ctx * */
    DOCA_ARGP_TYPE_DEVICE_REP = 5, /**< a representor; struct doca_argp_device_rep_ctx * */
    DOCA_ARGP_TYPE_DOUBLE = 6,     /**< a floating-point number; double * */
};

/** A parameter of the program or of a command. */
struct doca_argp_param;

/** A command word with parameters and commands of its own. */
struct doca_argp_cmd;

/** Value of a DOCA_ARGP_TYPE_DEVICE parameter. */
struct doca_argp_device_ctx {
    struct doca_dev *dev; /**< opened by the parser; the program's to close */
    const char *devargs;  /**< what followed the device's name, valid during the callback */
};

/** Value of a DOCA_ARGP_TYPE_DEVICE_REP parameter. */
struct doca_argp_device_rep_ctx {
    struct doca_argp_device_ctx dev_ctx; /**< the device that the representor belongs to */
    struct doca_dev_rep *dev_rep;        /**< opened by the parser; the program's to close */
};

/**
 * Takes the value of a parameter: (value, program_config). The value has the form that the type
 * of the parameter names and is valid during the call. A failure ends the parsing and is returned
 * by doca_argp_start(). As version callback it is handed an ignorable value and may exit.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/** Runs when a command word is met, before the parameters behind it: (program_config). */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/** Takes argv[0] and the flags in front of "--" of a DPDK program, valid during the call. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/** Checks the configuration as a whole after the last parameter: (program_config). */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/**
 * Opens a device in place of the parser: stores the open device at dev. usr_ctx is what was
 * registered with the callback.
 */
typedef doca_error_t (*doca_argp_dev_open_cb_t)(struct doca_devinfo *devinfo, void *usr_ctx,
                                                struct doca_dev **dev);

/** Takes a message of the parser in place of stderr; the format has no newline at the end. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
                                              va_list args);

/**
 * Prints the help text to stdout: usage line, built-in flags, flags of the program or of the active
 * command, commands. Hidden ones are left out.
 *
 * For the time between doca_argp_init() and doca_argp_destroy(); does nothing otherwise.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * Initialises the parser.
 *
 * @program_name: shown in the help text, copied; NULL for the name the program was started with.
 * @program_config: handed to every callback as it is, so NULL is allowed.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is initialised already.
 * DOCA_ERROR_NO_MEMORY: its tables could not be allocated.
 * DOCA_ERROR_INVALID_VALUE: program_name is empty.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * Registers a parameter of the program. It needs a short or a long name, a description, a callback
 * and a type. The parser owns it afterwards, also on failure, except when it is NULL.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, was started already, or input_param was
 *     registered before.
 * DOCA_ERROR_INITIALIZATION: one of the needed fields is missing.
 * DOCA_ERROR_INVALID_VALUE: input_param is NULL, or a name is taken or reserved.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * Registers a command of the program. It needs a name and a description. The parser owns it
 * afterwards, with all that is registered in it, also on failure, except when it is NULL.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, was started already, or input_cmd was
 *     registered before.
 * DOCA_ERROR_INITIALIZATION: one of the needed fields is missing.
 * DOCA_ERROR_INVALID_VALUE: input_cmd is NULL, or the name is taken.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * Replaces what -v and --version do: printing the versions and exiting.
 *
 * @callback: called with an ignorable value and program_config; may destroy the parser and exit.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, or was started already.
 * DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * Registers the check of the configuration as a whole.
 *
 * @callback: called once with program_config after all parameters; doca_argp_start() returns its
 *            failure.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, or was started already.
 * DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * Replaces how devices of DOCA_ARGP_TYPE_DEVICE and DOCA_ARGP_TYPE_DEVICE_REP are opened, which is
 * doca_dev_open() otherwise.
 *
 * @usr_ctx: handed to callback, may be NULL.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, or was started already.
 * DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx);

/**
 * Sends the parser's messages to a callback in place of stderr.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * DOCA_ERROR_ALREADY_EXIST: a callback is registered; disable it first.
 * DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * Sends the parser's messages to stderr again.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, or no callback is registered.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * Parses the command line, and the JSON file that it names; values of the file are applied first.
 * Once per doca_argp_init(). Stops at the first failure. --help and --version exit the process.
 *
 * Returns DOCA_SUCCESS, a failure of a callback as it is, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, or was started already.
 * DOCA_ERROR_INVALID_VALUE: argv is bad, a value is missing, malformed or repeated, or a mandatory
 *     parameter was not given.
 * DOCA_ERROR_NOT_SUPPORTED: a flag, a command or a key of the file is not known.
 * DOCA_ERROR_IO_FAILED: the file cannot be read, or is no JSON object.
 * DOCA_ERROR_INITIALIZATION: the parser's tables are inconsistent.
 * DOCA_ERROR_NO_MEMORY: the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * Frees the parser with all parameters and commands registered in it. May be called from a callback
 * that exits the process afterwards.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * Declares a DPDK program: what stands in front of "--" on the command line is for DPDK, the rest
 * for the parser.
 *
 * @callback: called with the flags for DPDK once parsing succeeded, not at all without "--"; NULL
 *            is ignored. doca_argp_start() returns its failure.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * Creates a parameter.
 *
 * @param: receives it; to be registered, or freed with doca_argp_param_destroy().
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * DOCA_ERROR_INVALID_VALUE: param is NULL.
 * DOCA_ERROR_NO_MEMORY: the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Sets the name that is used behind one dash.
 *
 * @name: without the dash; may have several characters and is matched as a whole.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Sets the name that is used behind two dashes, and as key in a JSON file.
 *
 * @name: without the dashes.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Sets what the help text shows in place of the value, e.g. "<path>".
 *
 * @arguments: shown as it is behind the names.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * Sets the sentence that the help text shows. Needed.
 *
 * @description: shown as it is.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * Sets what takes the value. Needed.
 *
 * @callback: runs once for each occurrence, within doca_argp_start().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/**
 * Sets the kind of value. Needed.
 *
 * @type: any but DOCA_ARGP_TYPE_UNKNOWN.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * Makes the parameter mandatory: it must be given on the command line or in the JSON file.
 *
 * Optional otherwise.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * Bars the parameter from JSON files.
 *
 * A parameter without a long name is barred anyway.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * Allows the parameter to occur several times, as an array in a JSON file.
 *
 * Once at most otherwise.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * Makes the parameter exclude all others: it must be the only one given.
 *
 * The built-in log flags may still stand beside it.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * Makes the parameter known behind all commands below the one, or the program, that it belongs to.
 *
 * Known there alone otherwise.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * Leaves the parameter out of the help text.
 *
 * It can be used like any other.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * Frees a parameter that was not registered.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parameter is registered, the parser owns it.
 * DOCA_ERROR_INVALID_VALUE: param is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * Creates a command.
 *
 * @cmd: receives it; to be registered, or freed with doca_argp_cmd_destroy().
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * DOCA_ERROR_INVALID_VALUE: cmd is NULL.
 * DOCA_ERROR_NO_MEMORY: the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * Sets the word that selects the command. Needed.
 *
 * @name: matched as a whole.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * Sets the sentence that the help text shows. Needed.
 *
 * @description: shown as it is.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * Sets what runs when the command word is met. Optional.
 *
 * @callback: runs before the callbacks of the parameters behind the word.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * Leaves the command out of the help text.
 *
 * It can be used like any other.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * Registers a parameter that is known behind this command only. The command owns it afterwards,
 * also on failure, except when it is NULL.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the command or the parameter is registered already.
 * DOCA_ERROR_INITIALIZATION: a field that the parameter needs is missing.
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL, or a name is taken or reserved.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param);

/**
 * Registers a command that is known behind this command only. The command owns it afterwards, also
 * on failure, except when it is NULL.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: one of the commands is registered already.
 * DOCA_ERROR_INITIALIZATION: a field that input_cmd needs is missing.
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is taken.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/**
 * Frees a command that was not registered, with all that is registered in it.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the command is registered, its owner frees it.
 * DOCA_ERROR_INVALID_VALUE: cmd is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * Tells the level of the application log: the one given by flag or JSON file, else the global
 * lower limit in force.
 *
 * @log_level: receives one of enum doca_log_level.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: log_level is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * Tells the level of the SDK log: the one given by flag or JSON file, else the global limit in
 * force.
 *
 * @log_level: receives one of enum doca_log_level.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: log_level is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/**
 * Makes the parser pass over keys of a JSON file that it does not know, which fail
 * doca_argp_start() with DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_BAD_STATE: the parser is not initialised, or was started already.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_pedantic_config_parsing(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
