/** Ranges of AETH syndromes (roce-transport.md 3.4). */

/** Syndromes up to here are acknowledgements. */
export const LAST_ACK = 0x1f;
/** Syndromes behind those and up to here ask for a retry because the receiver is not ready. */
export const LAST_NOT_READY = 0x3f;
