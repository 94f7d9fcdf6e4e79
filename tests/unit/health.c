/* SPDX-License-Identifier: MIT */

#include <math.h>

#include "core/health.h"
#include "tap.h"

static const struct health_rules rules = { .used = true,
	.interval = 10,
	.timeout = 5,
	.retries = 2 };
static const struct outcome fine = { OUTCOME_EXIT, 0 };
static const struct outcome refused = { OUTCOME_EXIT, 7 };
static const struct outcome killed = { OUTCOME_SIGNAL, 9 };

TEST(without_the_option_there_is_no_probe)
{
	const struct health_rules none = { .used = false, .interval = 30 };
	struct health health = health_begin(&none, 100);

	CHECK_DBL(health_wake(&health), INFINITY, 0);
	CHECK_INT(health_tick(&health, &none, 1e9), PROBE_WAIT);
	CHECK_INT(health_status(&health, &none), HEALTH_STARTING);
}

TEST(a_probe_comes_an_interval_after_the_one_before)
{
	struct health health = health_begin(&rules, 100);

	CHECK_DBL(health_wake(&health), 110, 0);
	CHECK_INT(health_tick(&health, &rules, 109.9), PROBE_WAIT);
	CHECK_INT(health_tick(&health, &rules, 110), PROBE_START);
	CHECK_DBL(health_wake(&health), 115, 0);
	CHECK_INT(health_tick(&health, &rules, 112), PROBE_WAIT);
	health_probed(&health, &rules, fine, 113);
	CHECK_DBL(health_wake(&health), 123, 0);
	CHECK_INT(health_status(&health, &rules), HEALTH_HEALTHY);
}

TEST(a_probe_that_takes_too_long_has_failed)
{
	struct health health = health_begin(&rules, 0);

	health_tick(&health, &rules, 10);
	CHECK_INT(health_tick(&health, &rules, 15), PROBE_END);
	CHECK_INT(health.failures, 1);
	CHECK_INT(health.last.kind, OUTCOME_TIMEOUT);
	/* It ended in the end, which does not count once more. */
	health_probed(&health, &rules, killed, 16);
	CHECK_INT(health.failures, 1);
	CHECK_INT(health.last.kind, OUTCOME_TIMEOUT);
	CHECK_DBL(health_wake(&health), 26, 0);
}

TEST(a_probe_that_cannot_be_killed_fails_again_after_each_interval)
{
	struct health health = health_begin(&rules, 0);

	health_tick(&health, &rules, 10);
	health_tick(&health, &rules, 15);
	CHECK_INT(health_status(&health, &rules), HEALTH_FAILING);
	CHECK_DBL(health_wake(&health), 25, 0);
	CHECK_INT(health_tick(&health, &rules, 24.9), PROBE_WAIT);
	CHECK_INT(health_tick(&health, &rules, 25), PROBE_END);
	CHECK_INT(health_status(&health, &rules), HEALTH_UNHEALTHY);
}

TEST(a_probe_has_a_second_to_die)
{
	struct health_rules hasty = rules;

	hasty.interval = .01;
	struct health health = health_begin(&hasty, 0);
	health_tick(&health, &hasty, 1);
	health_tick(&health, &hasty, 6);
	CHECK_DBL(health_wake(&health), 7, 0);
}

TEST(so_many_failures_in_a_row_are_too_many)
{
	struct health health = health_begin(&rules, 0);

	for (int i = 1; i <= 5; i++) {
		health_tick(&health, &rules, health_wake(&health));
		health_probed(&health, &rules, i % 2 ? refused : fine, i * 20);
		CHECK_INT(health_status(&health, &rules),
		    i % 2 ? HEALTH_FAILING : HEALTH_HEALTHY);
	}
	health_tick(&health, &rules, health_wake(&health));
	health_probed(&health, &rules, refused, 200);
	CHECK_INT(health_status(&health, &rules), HEALTH_UNHEALTHY);
	CHECK(!health.differ);
	CHECK(health.was_healthy);
}

TEST(failures_may_be_of_several_kinds)
{
	struct health health = health_begin(&rules, 0);

	health_tick(&health, &rules, 10);
	health_probed(&health, &rules, refused, 10);
	health_tick(&health, &rules, 20);
	health_probed(&health, &rules, killed, 20);
	CHECK(health.differ);
	CHECK_INT(health.last.kind, OUTCOME_SIGNAL);
}

TEST(failures_before_a_first_success_in_the_start_period_do_not_count)
{
	struct health_rules patient = rules;
	struct health health;

	patient.start_period = 25;
	health = health_begin(&patient, 0);
	health_tick(&health, &patient, 10);
	health_probed(&health, &patient, refused, 10);
	health_tick(&health, &patient, 20);
	health_probed(&health, &patient, refused, 20);
	CHECK_INT(health_status(&health, &patient), HEALTH_STARTING);
	health_tick(&health, &patient, 30);
	health_probed(&health, &patient, refused, 30);
	CHECK_INT(health.failures, 1);

	health = health_begin(&patient, 0);
	health_tick(&health, &patient, 10);
	health_probed(&health, &patient, fine, 10);
	health_tick(&health, &patient, 20);
	health_probed(&health, &patient, refused, 20);
	CHECK_INT(health.failures, 1);
}

TEST(a_health_that_was_stopped_tells_nothing_more)
{
	struct health health = health_begin(&rules, 0);

	health_tick(&health, &rules, 10);
	health_stop(&health);
	health_probed(&health, &rules, refused, 11);
	CHECK_INT(health.failures, 0);
	CHECK_DBL(health_wake(&health), INFINITY, 0);
}

TEST(a_program_that_does_not_feed_its_watchdog_is_unhealthy)
{
	const struct outcome hung = { .kind = OUTCOME_UNHEALTHY };
	const struct health_rules none = { .used = false };
	struct health health = health_begin(&none, 0);

	CHECK_INT(health_status(&health, &none), HEALTH_STARTING);
	health_probed(&health, &none, hung, 1);
	CHECK_INT(health_status(&health, &none), HEALTH_UNHEALTHY);
	health = health_begin(&rules, 0);
	health_tick(&health, &rules, 10);
	health_probed(&health, &rules, hung, 11);
	CHECK_INT(health_status(&health, &rules), HEALTH_UNHEALTHY);
}

int
main(void)
{
	return RUN_ALL();
}
