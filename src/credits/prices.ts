/** D12: credits for each document of a submit, and for each cancel request. */
export const CREDITS_PER_DOCUMENT = 1;
export const CREDITS_PER_CANCEL = 1;
