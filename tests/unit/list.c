#include "core/list.h"
#include "tap.h"

static void
items_come_one_by_one(void)
{
	const char *list = "one,2,!three=x:y";
	char item[LIST_ITEM];

	CHECK_STR(list_next(&list, item), NULL);
	CHECK_STR(item, "one");
	CHECK_STR(list_next(&list, item), NULL);
	CHECK_STR(item, "2");
	CHECK_STR(list_next(&list, item), NULL);
	CHECK_STR(item, "!three=x:y");
	CHECK(list == NULL);
}

static void
an_item_that_is_empty_or_too_long_is_refused_where_it_stands(void)
{
	static const char *const rows[] = { "", ",", ",1" };
	char item[LIST_ITEM], text[LIST_ITEM + 1];
	const char *list;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		list = rows[i];
		CHECK_STR(list_next(&list, item), "has an empty item");
		CHECK_STR(list, rows[i]);
	}
	list = "1,";
	CHECK_STR(list_next(&list, item), NULL);
	CHECK_STR(list_next(&list, item), "has an empty item");

	memset(text, 'x', LIST_ITEM);
	text[LIST_ITEM] = '\0';
	list = text;
	CHECK_STR(list_next(&list, item), "is too long");
	CHECK_STR(list_next(&(const char *){ text + 1 }, item), NULL);
	CHECK_STR(item, text + 1);
}

int
main(void)
{
	RUN(items_come_one_by_one);
	RUN(an_item_that_is_empty_or_too_long_is_refused_where_it_stands);
	return DONE();
}
