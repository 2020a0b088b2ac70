/** Settings without rate limits, because tests send more requests than a client may (docs/rules.md#rate-limits). */
export const NO_RATE_LIMITS: Readonly<Record<string, string>> = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
  RATE_LIMIT_SUBMITS_PER_MINUTE: '0',
  RATE_LIMIT_TIN_CHECKS_PER_MINUTE: '0',
  RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: '0',
};
