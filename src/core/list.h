#ifndef LIST_H
#define LIST_H

/* Room for an item of a comma list, with its NUL. */
#define LIST_ITEM 64

/*
 * Copies the first item of a comma list, and moves *list behind the comma that
 * follows it, or to NULL if the item is the last one.  Returns NULL, or what is
 * wrong with the item; *list then stays where it is.
 */
const char *list_next(const char **list, char item[LIST_ITEM]);

#endif
