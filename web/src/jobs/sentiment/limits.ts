/** Limits of inline texts, as openapi.yaml states them. */
export const mostTexts = 10_000;
export const mostAtOnce = 64; // of POST /v1/score
export const mostCompared = 5; // models of a job
export const longestId = 64; // characters
export const longestBody = 8 * 1024 * 1024; // bytes of the whole request

const encoder = new TextEncoder();

/** Size of the request that carries these arguments, in bytes. */
export const bodySize = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;
