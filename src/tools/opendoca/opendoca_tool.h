/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_OPENDOCA_TOOL_H_
#define OD_TOOLS_OPENDOCA_TOOL_H_

/* The front door. One file a command; main.c has the table. A command gets its own argc/argv
 * (argv[0] is the command word) and returns the exit status. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TOOL_USAGE 2 /* exit status of a wrong command line */

int tool_run(int argc, char **argv);
int tool_pair(int argc, char **argv);
int tool_doctor(int argc, char **argv);
int tool_device(int argc, char **argv);
int tool_port(int argc, char **argv);
int tool_port_capture(int argc, char **argv); /* of tool_port() */
int tool_stats(int argc, char **argv);
int tool_wire(int argc, char **argv);
int tool_demo(int argc, char **argv);
int tool_demo_host(int argc, char **argv);
int tool_demo_dpu(int argc, char **argv);
int tool_demo_rank(int argc, char **argv);
int tool_vendor_path(int argc, char **argv);
int tool_service(int argc, char **argv); /* up, down, status */

struct soft_device;
/* Is it the name of the device, in any of its forms? */
bool tool_device_matches(const struct soft_device *device, const char *name);

/* As "up" of the first device, which tells on standard error. Returns the exit status. */
int tool_service_up(void);
/* What the first device's service says, to be freed; NULL: none answers. Its process; 0: none. */
json_t *tool_service_status(void);
pid_t tool_service_pid(void);

/* child.c: what a started program needs. */

struct tool_env {
    const char *role;   /* "host", "dpu", or NULL: the program's own flavour decides */
    const char *config; /* devices file, or NULL */
    const char *engine; /* copy engine, or NULL */
    const char *faults; /* fault list, or NULL */
};

/* Names of the copy engines, separated by commas. */
void tool_copy_engines(char *text, size_t size);

/* Puts a folder in front of a variable's list. */
void tool_prepend(const char *name, const char *value);

/* Looks for a program in PATH; its file. */
bool tool_find(const char *program, char *file, size_t size);

/* In the process that becomes the program: sets the environment. */
void tool_apply_env(const struct tool_env *env);

/* Starts a program with pipes for what is not -1: in/out/err are the child's descriptors. Returns
 * the pid or -1 after a message. */
pid_t tool_spawn(char *const argv[], const struct tool_env *env, int in, int out, int err);

/* Runs a program to its end, with other outputs where they are not -1; its exit status. */
int tool_call(const char *const argv[], int out, int err);

/* VLAN tags of what is sent through the interface go into the frames, instead of beside them.
 * False: that cannot be changed. */
bool tool_write_own_tags(const char *iface);

/* Removes a folder and what is in it. */
void tool_remove_tree(const char *path);

/* Exit status the way a shell gives it: 128 + signal for a killed one. */
int tool_exit_status(int wait_status);

#endif /* OD_TOOLS_OPENDOCA_TOOL_H_ */
