import type { Mutant } from './patch.js';

/** Bugs that clients of the API can observe. `check` is the title of a check of the sandbox suite. */
export const SUITE_MUTANTS: readonly Mutant[] = [
  {
    name: 'wrong-status',
    what: 'a duplicate gets 400',
    patches: [
      {
        file: 'src/submission/duplicate-document-error.js',
        find: 'status = 409',
        replace: 'status = 400',
      },
    ],
    check: 'is rejected with the status, id and batch of the document until it has an outcome',
  },
  {
    name: 'lost-header',
    what: 'responses do not report the charged credits',
    patches: [
      {
        file: 'src/idempotency/idempotency.service.js',
        find: "'X-Credits-Charged': charged, 'X-Credits-Remaining': remaining",
        replace: "'X-Credits-Remaining': remaining",
      },
    ],
    check: 'charges one credit per document',
  },
  {
    name: 'lost-challenge',
    what: 'a 401 has no WWW-Authenticate header',
    patches: [
      {
        file: 'src/errors/api-error.js',
        find: "headers = { 'WWW-Authenticate': 'Bearer' };",
        replace: 'headers = {};',
      },
    ],
    check: 'is required by submit: 401 api_key_missing',
  },
  {
    name: 'replay-charges',
    what: 'a replayed request is charged again',
    patches: [
      {
        file: 'src/idempotency/idempotency.service.js',
        find: 'const remaining = await withFailpoints(',
        replace: `const { randomUUID } = await import('node:crypto');
        await this.transactions.inTenant(request.caller, ({ tx }) =>
            tx.query('SELECT charge_credits($1, 1, $2, $3, $4)',
                [request.caller.tenantId, request.caller.environment, request.operation, randomUUID()]));
        const remaining = await withFailpoints(`,
      },
    ],
    check: 'a replayed request charges nothing',
  },
  {
    name: 'key-reused',
    what: 'a used key with another body returns the stored response',
    patches: [
      {
        file: 'src/idempotency/decision.js',
        find: "if (stored.body_hash.toString('hex') !== bodyHash)",
        replace: 'if (false)',
      },
    ],
    check: 'is rejected with a different body',
  },
  {
    name: 'foreign-id',
    what: 'a cached API key matches every other key, so that foreign batches are visible',
    patches: [
      {
        file: 'src/accounts/api-keys/recent-keys.js',
        find: "const name = digest.toString('base64');",
        replace: "const name = 'key';",
      },
      {
        file: 'src/accounts/api-keys/recent-keys.js',
        find: 'return entry !== undefined && this.monotonicNow() - entry.startedAt < CACHE_MS ? entry : undefined;',
        replace: 'return entry;',
      },
    ],
    check: 'gets the same 404 for a foreign batch as for an unknown one',
  },
  {
    name: 'lost-retry-after',
    what: 'a status response has no Retry-After header',
    patches: [
      {
        file: 'src/status/status.service.js',
        find: "if (status.nextPollAfterSeconds !== null) headers['Retry-After'] = status.nextPollAfterSeconds;",
        replace: '',
      },
    ],
    check: 'states the time of the next poll in the body and in Retry-After',
  },
  {
    name: 'wrong-total',
    what: 'half a sen is truncated',
    patches: [
      {
        file: 'src/common/decimal.js',
        find: 'return 2 * Math.abs(rest) < divisor ? whole : whole + Math.sign(dividend);',
        replace: 'return whole;',
      },
    ],
    check: 'round half a sen away from zero',
  },
  {
    name: 'duplicate-accepted',
    what: 'a valid document can be submitted again',
    patches: [
      {
        file: 'src/submission/decide-submit.js',
        find: 'const duplicates = findDuplicates(documents, stored);',
        replace: 'const duplicates = [];',
      },
    ],
    check: 'is rejected if the document is valid',
  },
  {
    name: 'lost-rule',
    what: 'a Malaysian postcode may have four digits',
    patches: [
      {
        file: 'src/documents/rules/recipient-rules.js',
        find: String.raw`isMismatch(sent.postcode, /^\d{5}$/)`,
        replace: String.raw`isMismatch(sent.postcode, /^\d{4,5}$/)`,
      },
    ],
    check: 'in Malaysia with a postcode of 4 digits',
  },
  {
    name: 'stale-tag',
    what: 'the ETag of a status never changes',
    patches: [
      {
        file: 'src/status/submission-status.js',
        find: 'hash.update(`${version}/',
        replace: 'hash.update(`/',
      },
    ],
    check: 'returns a new ETag after a change',
  },
  {
    name: 'wrong-order',
    what: 'the response lists the documents in reverse order',
    patches: [
      {
        file: 'src/submission/decide-submit.js',
        find: 'documents: rows.map(toQueuedDocument),',
        replace: 'documents: rows.map(toQueuedDocument).reverse(),',
      },
    ],
    check: 'returns one batch with the documents in the order of the request',
  },
  {
    name: 'lost-member',
    what: 'a status response has no nextPollAfterSeconds',
    patches: [
      {
        file: 'src/status/submission-status.js',
        find: 'nextPollAfterSeconds: terminal ? null : computeNextPollAfterSeconds(rows),',
        replace: '',
      },
    ],
    check: 'counts the documents by their status',
  },
  {
    name: 'lenient-strict',
    what: 'strict handling is ignored',
    patches: [{ file: 'src/http/request-headers.js', find: "'strict'", replace: "'stricter'" }],
    check: 'with an unknown field returns an error with Prefer: handling=strict',
  },
];
