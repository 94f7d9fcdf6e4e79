/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/signals.h"
#include "sys/events.h"
#include "sys/file.h"
#include "sys/job.h"
#include "sys/logs.h"
#include "sys/notify.h"

static double
seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void
job_describe(const struct job *job, struct record *record)
{
	record->seen.line = search_line(&job->found,
	    record->last.judgement.rule, record->last.known.from_line);
	record->seen.pid = job->child.pid;
	record->seen.last_line =
	    *job->probe.last_line == '\0' ? NULL : job->probe.last_line;
	record->seen.left = job->left.count;
	record->seen.left_names =
	    *job->left.names == '\0' ? NULL : job->left.names;
	record->seen.lost_input = job->input.lost;
	record->seen.user = seconds(job->usage.ru_utime);
	record->seen.system = seconds(job->usage.ru_stime);
}

/* Prints how the process of a question ended, and what the run does then. */
static void
say_end(struct job *job, const char *what_follows)
{
	const int status = job->status;
	char name[SIGNAL_NAME];

	if (job->signalled && !job->ends_run)
		say("--%s timed out%s", job->option, what_follows);
	else if (WIFSIGNALED(status))
		say("--%s was killed by %s%s", job->option,
		    signal_name(WTERMSIG(status), name), what_follows);
	else
		say("--%s exited %d%s", job->option, WEXITSTATUS(status),
		    what_follows);
}

/* --- the start --- */

/*
 * Starts the process with its output, in a tree of its own.  Returns 0, or an
 * errno.
 */
static int
start_child(struct job *job, struct start *start)
{
	const bool is_attempt = job->task == TASK_ATTEMPT;

	/* What an attempt left behind is not the next command's. */
	tree_begin(&job->tree);
	/* A child in a group of its own has no terminal to restore. */
	job->terminal.known = false;
	if (!job->child.own_group)
		terminal_begin(&job->terminal);
	const int ready = is_attempt
	    ? output_begin(&job->output, start->descriptors)
	    : output_begin_shell(&job->output, start->descriptors);
	const bool started = ready == 0 && child_start(&job->child, start) == 0;
	const int error = started ? 0 : errno;
	output_started(&job->output);
	if (job->child.own_group)
		job->tree.group = job->child.pid;
	if (!started)
		collector_drop(&job->output.collector);
	return error;
}

static struct started
start_attempt(struct job *job, struct record *record)
{
	struct start start = {
		.argv = job->options->command,
		.record = record,
		.descriptors = { CHILD_KEEPS, CHILD_KEEPS, CHILD_KEEPS },
	};

	logs_begin_output(job->report, &job->output, record);
	duplicate_begin(&job->duplicate,
	    record->last.judgement.verdict == VERDICT_RETRY);
	start.notify = notify_begin(job->notify, record->attempt.number);
	const bool prepared =
	    input_begin(&job->input, record->attempt.number,
		job->left.count > 0, &start.descriptors[0]) == 0;
	const int error = prepared ? start_child(job, &start) : 0;
	const bool runs = prepared && error == 0;
	file_close(&start.descriptors[0]);
	if (runs) {
		/* While the attempt is busy with its exec. */
		oom_begin(&job->oom);
		return (struct started){ .runs = true };
	}
	job->usage = (struct rusage){ 0 };
	job->left = (struct survivors){ 0 };
	job->found = (struct found){ 0 };
	return (struct started){ .error = error };
}

/* A check, a gate or a hook. */
static struct started
start_shell(struct job *job, enum option_id option, struct record *record)
{
	const char *const argv[] = { _PATH_BSHELL, "-c",
		job->options->text[option], NULL };
	const bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
	int null = file_null();
	struct start start = {
		.argv = argv,
		.record = record,
		.descriptors = { null, has_stderr ? STDERR_FILENO : null,
		    CHILD_KEEPS },
	};

	job->option = option_rows[option].name;
	const int error = null == -1 ? errno : start_child(job, &start);
	file_close(&null);
	if (error == 0)
		return (struct started){ .runs = true };
	errno = error;
	say_error("cannot run --%s", job->option);
	return (struct started){ 0 };
}

static struct started
start_hook(struct job *job, struct record *record)
{
	/* The run is over: output that is still held stays so. */
	input_stop(&job->input);
	collector_drop(&job->output.collector);
	messages.held = false;
	return start_shell(job,
	    record->end.reason == REASON_SUCCESS ? OPTION_ON_SUCCESS
						 : OPTION_ON_GIVE_UP,
	    record);
}

struct started
job_start(struct job *job, enum task task, struct record *record)
{
	job_describe(job, record);
	/* Only now is it known that the retry goes ahead without an answer. */
	if (task == TASK_ATTEMPT && job->task == TASK_GATE &&
	    (job->signalled || job->status != 0))
		say_end(job, "; the retry is allowed");
	if (task != TASK_PROBE) {
		job->task = task;
		job->signalled = job->ends_run = false;
		job->status = 0;
	}
	switch (task) {
	case TASK_ATTEMPT:
		return start_attempt(job, record);
	case TASK_CHECK:
		return start_shell(job, OPTION_CHECK, record);
	case TASK_GATE:
		return start_shell(job, OPTION_BEFORE_RETRY, record);
	case TASK_LAST_HOOK:
		return start_hook(job, record);
	case TASK_PROBE:
		break;
	}
	if (probe_start(&job->probe, job->options->text[OPTION_HEALTH], record,
		job->child.pid) == -1)
		return (struct started){ .error = errno };
	job->tree.probe = &job->probe.child;
	return (struct started){ .runs = true };
}

/* --- the end --- */

void
job_signal(struct job *job, int signal)
{
	const struct child *child = &job->child;
	char name[SIGNAL_NAME], note[64];

	/* A server that goes into the background has not failed. */
	if (child->pid == 0 && job->task == TASK_ATTEMPT && !job->signalled &&
	    job->status == 0 && signal != SIGKILL &&
	    !job->options->style.quiet) {
		const struct survivors left = tree_survivors(&job->tree, 0);

		if (left.count > 0)
			say("the attempt exited 0; --leftovers=end ends what "
			    "it left: %s",
			    left.names);
	}
	job->signalled |= child->pid != 0;
	if (job->options->style.verbose) {
		snprintf(note, sizeof(note), "sending %s to %s",
		    signal_name(signal, name),
		    child->pid != 0		    ? "the process"
			: job->task == TASK_ATTEMPT ? "what the attempt left"
						    : "what it left");
		logs_note(job->report, &job->output, "", note);
	}
	if (tree_signal(&job->tree, child->pid, signal) == -1 && errno != ESRCH)
		say_error("cannot signal process %ld", (long)child->pid);
}

void
job_abandon(struct job *job)
{
	if (tree_name_left(&job->tree) == 0 && job->child.pid != 0)
		say("process %ld does not end", (long)job->child.pid);
	job->child.pid = 0;
}

bool
job_reap(struct job *job, struct event *event)
{
	struct rusage usage;
	struct outcome probe = { .kind = OUTCOME_NONE };
	bool exited = false, probed = false, reaped = false;
	pid_t pid;
	int status;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0 ||
	    (pid == -1 && errno == EINTR)) {
		if (pid == -1)
			continue;
		if (pid == job->probe.child.pid) {
			probe = probe_ended(&job->probe, status);
			probed = true;
		} else if (pid == job->child.pid) {
			job->child.pid = 0;
			job->status = status;
			if (job->task == TASK_ATTEMPT)
				job->usage = usage;
			exited = true;
		} else
			reaped = true;
	}
	if (pid == -1 && job->child.pid != 0)
		events_fail("cannot wait for the child");
	*event = (struct event){
		.kind = exited ? EVENT_EXITED
		    : probed   ? EVENT_PROBED
			       : EVENT_REAPED,
		.probe = probe,
	};
	return exited || probed || reaped;
}

/* --- what came of it --- */

static void
restore_terminal(struct job *job)
{
	terminal_restore(&job->terminal,
	    job->signalled || WIFSIGNALED(job->status));
}

/* How the attempt's process ended. */
static struct outcome
find_outcome(struct job *job)
{
	const int error = *job->child.exec_errno;
	const int status = job->status;

	if (error != 0)
		return (struct outcome){ .kind = OUTCOME_UNSTARTABLE,
			.code = error,
			.reason = command_reason(*job->options->command, error,
			    job->reason) };
	struct outcome outcome = { .kind = OUTCOME_EXIT,
		.code = WEXITSTATUS(status) };
	if (WIFSIGNALED(status))
		outcome = (struct outcome){ .kind = OUTCOME_SIGNAL,
			.code = WTERMSIG(status) };
	outcome.oom = outcome_may_be_oom(outcome) && oom_grew(&job->oom);
	return outcome;
}

void
job_note_attempt(struct job *job, struct ended *ended)
{
	/* The group that has got the signal that ends the run; 0: none. */
	const pid_t ending = !job->ends_run ? 0
	    : job->child.own_group	    ? job->tree.group
					    : getpgrp();

	restore_terminal(job);
	notify_end(job->notify);
	job->found = (struct found){ 0 };
	if (job->output.collector.work != NULL)
		job->found = job->output.collector.work->found;
	duplicate_end(&job->duplicate);
	job->left = tree_survivors(&job->tree, ending);
	ended->returned = find_outcome(job);
	ended->matched = job->found.matched;
	ended->by_line = job->found.class;
	ended->unread = output_is_unread(&job->output);
	ended->hint = hinted_find(&job->hinted, &job->found);
}

/* A hook that fails is reported, and a check that its shell did not find. */
enum answer
job_answer(struct job *job)
{
	const int status = job->status, code = WEXITSTATUS(status);

	restore_terminal(job);
	const int error = *job->child.exec_errno;
	if (error != 0) {
		say("cannot run --%s: %s: %s", job->option, _PATH_BSHELL,
		    strerror(error));
		return ANSWER_NONE;
	}
	if ((job->task == TASK_LAST_HOOK && (status != 0 || job->signalled)) ||
	    (job->task == TASK_CHECK && WIFEXITED(status) &&
		(code == STATUS_NOT_EXECUTABLE || code == STATUS_NOT_FOUND)))
		say_end(job, "");
	if (!WIFEXITED(status) || code > 1)
		return ANSWER_NO;
	return code == 0 ? ANSWER_YES : ANSWER_AGAIN;
}
