#pragma once
#include <systemd/sd-bus.h>

// What sd-bus(3) takes with a variable number of arguments, or a callback that does nothing. Each
// answers with a negative errno where it fails.

// Whether somebody has the name on the bus. Asking starts nobody, as asking that one would.
static inline int walkdown_bus_has_owner(sd_bus *bus, const char *name) {
    sd_bus_message *answer = NULL;
    int has = 0;
    int code = sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                  "org.freedesktop.DBus", "NameHasOwner", NULL, &answer, "s", name);
    if (code >= 0) code = sd_bus_message_read(answer, "b", &has);
    sd_bus_message_unref(answer);
    return code < 0 ? code : has;
}

static inline int walkdown_bus_pass(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)message, (void)data, (void)error;
    return 0;
}

// From now on messages that fit the rule wake the reader of the bus.
static inline int walkdown_bus_watch(sd_bus *bus, const char *rule) {
    return sd_bus_add_match(bus, NULL, rule, walkdown_bus_pass, NULL);
}
