#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "walkdown_failing.h"

// Declared here, because the headers that do would have to be installed.
typedef const void *pointer;

static uintptr_t engine_start, engine_end;
static long count, first, last;
static bool of_memory, of_cipher;

void walkdown_failing(void) {}

static int find_engine(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "libsqlcipher")) return 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        engine_start = info->dlpi_addr + header->p_vaddr;
        engine_end = engine_start + header->p_memsz;
    }
    return 1;
}

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *kind = getenv("WALKDOWN_FAIL");
    if (!kind) return;
    first = number("WALKDOWN_FAIL_AT");
    last = getenv("WALKDOWN_FAIL_LAST") ? number("WALKDOWN_FAIL_LAST") : first;
    dl_iterate_phdr(find_engine, NULL);
    of_memory = strcmp(kind, "memory") == 0;
    of_cipher = strcmp(kind, "cipher") == 0;
}

__attribute__((destructor)) static void note(void) {
    const char *path = getenv("WALKDOWN_FAIL_NOTE");
    if (!path) return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", count);
    if (write(file, text, length) != length) unlink(path);
    close(file);
}

static bool strikes(bool is_wanted, void *caller) {
    uintptr_t place = (uintptr_t)caller;
    if (!is_wanted || place < engine_start || place >= engine_end) return false;
    long mine = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return mine >= first && mine <= last;
}

// MARK: Memory

void *__libc_malloc(size_t size);
void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size) {
    return strikes(of_memory, __builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *realloc(void *block, size_t size) {
    return strikes(of_memory, __builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

// MARK: The cipher: 1 is success, 0 is not (EVP_CipherUpdate(3), HMAC_Update(3), RAND_bytes(3))

#define FALLIBLE(name, parameters, arguments) \
    int name parameters; \
    int name parameters { \
        static int(*next) parameters; \
        if (strikes(of_cipher, __builtin_return_address(0))) return 0; \
        if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name); \
        return next arguments; \
    }

FALLIBLE(
    EVP_CipherInit_ex, (void *c, pointer t, pointer e, pointer k, pointer v, int way),
    (c, t, e, k, v, way))
FALLIBLE(EVP_CipherUpdate, (void *c, void *o, int *n, pointer i, int l), (c, o, n, i, l))
FALLIBLE(EVP_CipherFinal_ex, (void *c, void *o, int *n), (c, o, n))
FALLIBLE(HMAC_Init_ex, (void *c, pointer k, int l, pointer m, pointer e), (c, k, l, m, e))
FALLIBLE(HMAC_Update, (void *c, pointer i, size_t l), (c, i, l))
FALLIBLE(HMAC_Final, (void *c, void *o, unsigned *l), (c, o, l))
FALLIBLE(EVP_MAC_init, (void *c, pointer k, size_t l, pointer p), (c, k, l, p))
FALLIBLE(EVP_MAC_update, (void *c, pointer i, size_t l), (c, i, l))
FALLIBLE(EVP_MAC_final, (void *c, void *o, size_t *n, size_t s), (c, o, n, s))
FALLIBLE(RAND_bytes, (void *o, int l), (o, l))
