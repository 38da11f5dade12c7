/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <stdio.h>
#include <stdlib.h>

#define DESCRIPTION_COLUMN 36

/* One entry: what is written so far ends at `column`; the description may have several lines. */
static void print_description(FILE *out, int column, const char *description)
{
    fprintf(out, "%*s", column < DESCRIPTION_COLUMN ? DESCRIPTION_COLUMN - column : 1, "");
    for (const char *p = description; *p != '\0'; p++) {
        fputc(*p, out);
        if (*p == '\n' && p[1] != '\0')
            fprintf(out, "%*s", DESCRIPTION_COLUMN, "");
    }
    fputc('\n', out);
}

static void print_param(FILE *out, const struct doca_argp_param *param)
{
    const char *arguments = param->arguments != NULL ? param->arguments : "";
    char label[ARGP_LABEL_SIZE];
    int column;

    argp_param_label(param, label);
    column = fprintf(out, "  %s%s%s", label, arguments[0] != '\0' ? " " : "", arguments);
    print_description(out, column, param->description);
}

static void print_params(FILE *out, const struct od_list *params, bool only_inherited)
{
    OD_LIST_FOR_EACH(link, params)
    {
        const struct doca_argp_param *param = OD_LIST_ENTRY(link, struct doca_argp_param, link);

        if (!param->hidden && (!only_inherited || param->inherited))
            print_param(out, param);
    }
}

static void print_program_flags(FILE *out, const struct doca_argp_cmd *scope)
{
    fputs("\nProgram Flags:\n", out);
    print_params(out, &scope->params, false);
    for (const struct doca_argp_cmd *above = scope->parent; above != NULL; above = above->parent)
        print_params(out, &above->params, true);
}

static bool has_visible_cmd(const struct doca_argp_cmd *scope)
{
    OD_LIST_FOR_EACH(link, &scope->cmds)
    {
        if (!OD_LIST_ENTRY(link, struct doca_argp_cmd, link)->hidden)
            return true;
    }
    return false;
}

static void print_cmds(FILE *out, const struct doca_argp_cmd *scope)
{
    fputs("\nCommands:\n", out);
    OD_LIST_FOR_EACH(link, &scope->cmds)
    {
        const struct doca_argp_cmd *cmd = OD_LIST_ENTRY(link, struct doca_argp_cmd, link);

        if (!cmd->hidden)
            print_description(out, fprintf(out, "  %s", cmd->name), cmd->description);
    }
}

/* " clean deep" for the command deep of the command clean. */
static void print_path(FILE *out, const struct doca_argp_cmd *scope)
{
    if (scope->parent == NULL)
        return;
    print_path(out, scope->parent);
    fprintf(out, " %s", scope->name);
}

static void print_help(FILE *out, const struct argp *argp)
{
    bool has_cmds = has_visible_cmd(argp->scope);

    fprintf(out, "Usage: %s", argp->name);
    if (argp->dpdk_cb != NULL)
        fputs(" [DPDK Flags] --", out);
    print_path(out, argp->scope);
    fprintf(out, " [DOCA Flags] [Program Flags]%s\n\n", has_cmds ? " [Command]" : "");
    fputs("DOCA Flags:\n", out);
    print_params(out, &argp->standard.params, false);
    print_program_flags(out, argp->scope);
    if (has_cmds)
        print_cmds(out, argp->scope);
}

char *argp_help_text(const struct argp *argp)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        return NULL;
    print_help(out, argp);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    /* Whoever prints it ends the last line. */
    text[len - 1] = '\0';
    return text;
}
