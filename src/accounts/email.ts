export const EMAIL_CHARACTERS_MAX = 254;

/** What is an address is found out by using it; this refuses what surely is none. */
export const EMAIL_FORM = { pattern: /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/, message: 'must be an e-mail address' };
