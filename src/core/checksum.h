#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * FNV-1a, of 64 bits: tells a file that was cut or changed by accident, not
 * one that was changed on purpose.
 */
uint64_t checksum(const void *data, size_t length);

#endif
