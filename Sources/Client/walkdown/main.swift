// Placeholder until the first part of this program lands.
