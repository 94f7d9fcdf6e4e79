/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/execute.h"
#include "tap.h"

/* Who shares its memory with another process must not disturb its errno. */
TEST(what_cannot_be_executed_leaves_errno_alone)
{
	static char long_name[5000];
	char folder[] = "/tmp/retry.execute.XXXXXX", binary[64];
	const struct {
		const char *name, *path;
		int error;
	} rows[] = {
		{ "", "/nonexistent", ENOENT },
		{ "/nonexistent", "", ENOENT },
		{ "/etc/passwd/x", "", ENOTDIR },
		{ folder, "", EACCES },
		{ binary, "", ENOEXEC },
		{ "nonexistent", "/nonexistent::/etc/passwd:/", ENOENT },
		{ "etc", "/nonexistent:/:/nonexistent", EACCES },
		{ long_name, "/nonexistent:/", ENAMETOOLONG },
	};

	memset(long_name, 'x', sizeof(long_name) - 1);
	CHECK(mkdtemp(folder) != NULL);
	snprintf(binary, sizeof(binary), "%s/binary", folder);
	FILE *file = fopen(binary, "w");
	CHECK(file != NULL && fwrite("\177ELF\0\n", 1, 6, file) == 6);
	fclose(file);
	chmod(binary, 0755);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *words[] = { (char *)"/nonexistent/sh",
			(char *)rows[i].name, NULL };

		errno = EDOM;
		CHECK_INT(execute(words, environ, rows[i].path), rows[i].error);
		CHECK(errno == EDOM || !execute_is_quiet);
	}
	/* A text is for the shell, which is not there. */
	file = fopen(binary, "w");
	CHECK(file != NULL && fputs("exit 3\n", file) != EOF);
	fclose(file);
	char *words[] = { (char *)"/nonexistent/sh", binary, NULL };
	errno = EDOM;
	CHECK_INT(execute(words, environ, ""), ENOENT);
	CHECK(errno == EDOM || !execute_is_quiet);
	unlink(binary);
	rmdir(folder);
}

int
main(void)
{
	return RUN_ALL();
}
