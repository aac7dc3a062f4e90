// Placeholder until the first part of this module lands.
