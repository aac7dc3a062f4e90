#pragma once

// The mailbox's eventfd(2). open returns -1 with errno set; the others cannot fail in a way that
// loses a message, because messages stand in memory and the descriptor only wakes poll(2).
int walkdown_mailbox_open(void);
void walkdown_mailbox_signal(int descriptor);
void walkdown_mailbox_drain(int descriptor);
void walkdown_mailbox_close(int descriptor);
