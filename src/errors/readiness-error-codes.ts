const OPERATOR = { actor: 'operator', resubmit: true } as const;

/** Reasons for a failed readiness check, which are part of the table in error-codes.ts. */
export const READINESS_ERROR_CODES = {
  database_unavailable: {
    ...OPERATOR,
    status: 503,
    operations: ['ready'],
    meaning: 'The database does not respond.',
    action: 'Check the database and its network connection.',
  },
  disk_full: {
    ...OPERATOR,
    status: 503,
    operations: ['ready'],
    meaning: 'The disk of the database is full. Reads work, but any write may fail.',
    action: 'Free space on the disk of the database; the service then continues automatically.',
  },
  migrations_missing: {
    ...OPERATOR,
    status: 503,
    operations: ['ready'],
    meaning: 'The database lacks migrations of this version.',
    action: 'Run `npm run migrate`.',
  },
} as const;
