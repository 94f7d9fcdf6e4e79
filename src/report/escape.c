/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "report/report.h"
#include "core/text.h"

void
escape_put(FILE *file, const char *text, const struct escape *escape)
{
	int hashes = 0;

	while (*text != '\0') {
		const char *start = text;
		const uint32_t c = text_next(&text);
		const bool command = text_is_ci_command(c, &hashes);

		if ((c < 0x80 && strchr(escape->special, (int)c) != NULL) ||
		    (escape->is_special != NULL && escape->is_special(c)) ||
		    (escape->commands && command))
			escape->put(file, c);
		else
			fwrite(start, 1, (size_t)(text - start), file);
	}
}
