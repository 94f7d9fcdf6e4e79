/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/command.h"
#include "sys/execute.h"

/* How much of a file is looked at to tell whether it is text. */
#define TEXT_SIZE 256

/*
 * A system call that does not set errno, where the processor is known.  Returns
 * the result, or an error number below zero.
 */
#if defined(__x86_64__) && defined(__LP64__)
const bool execute_is_quiet = true;

static long
call(long number, long first, long second, long third)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third)
			 : "rcx", "r11", "memory");
	return result;
}
#else
const bool execute_is_quiet = false;

static long
call(long number, long first, long second, long third)
{
	const long result = syscall(number, first, second, third);

	return result == -1 ? -errno : result;
}
#endif

/* Whether the file is text, as far as its first line tells: it has no NUL. */
static bool
is_text(const char *file)
{
	char text[TEXT_SIZE];
	/* Without O_CREAT openat(2) reads no fourth argument. */
	const long fd = call(SYS_openat, AT_FDCWD, (long)file,
	    O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const long length =
	    fd < 0 ? fd : call(SYS_read, fd, (long)text, sizeof(text) - 1);

	if (fd >= 0)
		call(SYS_close, fd, 0, 0);
	if (length < 0)
		return true;
	text[length] = '\0';
	const size_t end = strcspn(text, "\n");
	return text[end] == '\n' || end == (size_t)length;
}

int
execute_dup(int from, int to)
{
	const long result = call(SYS_dup3, from, to, 0);

	return result < 0 ? (int)-result : 0;
}

/* Executes a file; if it has no format, as a script of the shell's. */
static int
execute_file(char *file, char **words, char *const *environment)
{
	long error =
	    call(SYS_execve, (long)file, (long)(words + 1), (long)environment);

	if (error == -ENOEXEC && is_text(file)) {
		words[1] = file;
		error = call(SYS_execve, (long)words[0], (long)words,
		    (long)environment);
	}
	return (int)-error;
}

int
execute(char **words, char *const *environment, const char *path)
{
	char *name = words[1], file[PATH_MAX];
	bool denied = false;

	if (strchr(name, '/') != NULL || name[0] == '\0')
		return execute_file(name, words, environment);
	if (strlen(name) >= PATH_MAX)
		return ENAMETOOLONG;
	while (command_next(&path, name, file)) {
		const int error = execute_file(file, words, environment);

		switch (error) {
		case EACCES:
			denied = true;
			break;
		case ENOENT:
		case ENOTDIR:
		case ENODEV:
		case ESTALE:
		case ETIMEDOUT:
			break;
		default:
			return error;
		}
	}
	return denied ? EACCES : ENOENT;
}
