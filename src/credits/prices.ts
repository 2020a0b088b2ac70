/** Prices per submitted document and per cancel request (docs/rules.md#credits). */
export const CREDITS_PER_DOCUMENT = 1;
export const CREDITS_PER_CANCEL = 1;
