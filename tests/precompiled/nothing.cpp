// Only the precompiled header is wanted.
