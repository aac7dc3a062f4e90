#pragma once
#include <jansson.h>

// `json_typeof` is a macro over the struct's first member, which Swift does not import.
static inline json_type walkdown_json_typeof(const json_t *json) { return json_typeof(json); }
