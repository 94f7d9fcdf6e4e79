#include <string.h>

#include "list.h"

const char *
list_next(const char **list, char item[LIST_ITEM])
{
	const size_t length = strcspn(*list, ",");

	if (length == 0)
		return "has an empty item";
	if (length >= LIST_ITEM)
		return "is too long";
	memcpy(item, *list, length);
	item[length] = '\0';
	*list = (*list)[length] == ',' ? *list + length + 1 : NULL;
	return NULL;
}
