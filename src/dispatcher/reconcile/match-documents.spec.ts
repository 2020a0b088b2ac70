import { describe, expect, it } from 'vitest';
import { isPossibleCopy } from './match-documents.js';

const NOW = new Date('2026-11-26T08:00:00Z');

describe('isPossibleCopy', () => {
  const member = {
    transactionId: 'OWN',
    documentType: 'invoice',
    referenceId: 'INV-1',
    supplierTin: 'C1234567890',
    issuedAt: NOW,
    invalidUuid: null,
  } as const;
  const shown = {
    authorityUuid: 'FIRST',
    submissionUid: 'SUBMISSION',
    referenceId: 'INV-1',
    typeName: 'Invoice',
    supplierTin: 'C1234567890',
    status: 'Submitted',
    longId: null,
    issuedAt: NOW,
    receivedAt: null,
    validatedAt: null,
    cancelledAt: null,
    rejectionRequestedAt: null,
    statusReason: null,
  } as const;

  it.each([
    ['a possible copy of a document in doubt', null, 'Submitted', true],
    ['a possible copy, also if it is invalid', null, 'Invalid', true],
    ['no other copy under the uuid of the invalid one', 'FIRST', 'Submitted', false],
    ['no other copy if it is invalid too', 'SECOND', 'Invalid', false],
    ['another copy of an invalid one', 'SECOND', 'Valid', true],
  ] as const)('returns whether a document is %s', (_, invalidUuid, status, expected) => {
    expect(isPossibleCopy({ ...member, invalidUuid }, { ...shown, status }, new Map())).toBe(expected);
  });

  const minute = new Date(NOW.getTime() - (NOW.getTime() % 60_000));
  const later = new Date(minute.getTime() + 34_000);
  it.each([
    ['a possible copy if its uuid has no attempt', later, null, true],
    ['no copy if its uuid has another attempt of exactly its identity', later, { issuedAt: minute }, false],
    ['a possible copy if the attempt with its uuid was issued at another second', later, { issuedAt: later }, true],
    ['a possible copy if its uuid has this attempt', later, { issuedAt: minute, transactionId: 'OWN' }, true],
    ['a possible copy if both attempts have exactly its identity', minute, { issuedAt: minute }, true],
  ])('returns whether a document at the start of the same minute is %s', (_, issuedAt, owner, expected) => {
    const owners = owner && { ...member, transactionId: 'OTHER', ...owner };
    expect(
      isPossibleCopy(
        { ...member, issuedAt },
        { ...shown, issuedAt: minute },
        new Map(owners ? [[shown.authorityUuid, owners]] : []),
      ),
    ).toBe(expected);
  });
});
