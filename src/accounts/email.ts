export const EMAIL_CHARACTERS_MAX = 254;

/** Rejects only text that cannot be an address. Delivery is the only full test. */
export const EMAIL_FORM = { pattern: /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/, message: 'must be an e-mail address' };
