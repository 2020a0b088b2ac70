import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import type { NextNumberDto } from './dto/sending.dto.js';
import { SHOWN_STATUS_SQL, SHOWN_STATUSES } from '../transactions/shown-status.js';
import { REFERENCE_ID_LENGTH_MAX } from '../../documents/dto/document.dto.js';

/** Number of candidates to check. If all are used, no number is suggested. */
const CANDIDATES = 1_000;

/** Suggests the number of the next document. */
@Injectable()
export class NextNumbersService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /**
   * For each document type, returns the first unused number after the last manual submission, or else after the
   * last number.
   */
  read(caller: Caller): Promise<NextNumberDto[]> {
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const found: NextNumberDto[] = [];
      for (const documentType of DOCUMENT_TYPES) {
        const referenceId = await findNext(tx, caller, documentType);
        if (referenceId !== null) found.push({ documentType, referenceId });
      }
      return found;
    });
  }
}

async function findNext(tx: EntityManager, caller: Caller, documentType: DocumentType): Promise<string | null> {
  const scope = [caller.tenantId, caller.environment, documentType];
  const [last] = await tx.query<NumberRow[]>(READ_LAST_NUMBER, scope);
  if (last === undefined) return null;
  const candidates = listNextNumbers(last.referenceId, CANDIDATES);
  const [free] = await tx.query<NumberRow[]>(FIND_FREE_NUMBER, [...scope, candidates]);
  return free?.referenceId ?? null;
}

/**
 * Finds the number of the last new document among the last 100 submissions of each user, or else the last number of
 * all. Resubmissions do not count, because they keep an old number. The recursion steps from user to user in
 * ix_submission_batch_user. Parameters: tenant, environment, document type.
 */
export const READ_LAST_NUMBER = /* sql */ `
WITH RECURSIVE sender AS (
  (SELECT user_id FROM submission_batch WHERE tenant_id = $1 AND environment = $2 AND user_id IS NOT NULL
    ORDER BY user_id LIMIT 1)
   UNION ALL
  SELECT next.user_id FROM sender CROSS JOIN LATERAL (
    SELECT user_id FROM submission_batch WHERE tenant_id = $1 AND environment = $2 AND user_id > sender.user_id
     ORDER BY user_id LIMIT 1) next),
by_hand AS (
  SELECT sent.reference_id FROM sender
   CROSS JOIN LATERAL (
     SELECT id FROM submission_batch WHERE tenant_id = $1 AND environment = $2 AND user_id = sender.user_id
      ORDER BY id DESC LIMIT 100) batch
   CROSS JOIN LATERAL (
     SELECT id, document_type, reference_id, attempt FROM document_transaction
      WHERE tenant_id = $1 AND submission_batch_id = batch.id OFFSET 0) sent
   WHERE sent.document_type = $3 AND sent.attempt = 1
   ORDER BY sent.id DESC LIMIT 1)
SELECT reference_id AS "referenceId" FROM by_hand
 UNION ALL
(SELECT latest.reference_id FROM unnest(ARRAY[${SHOWN_STATUSES.map((status) => `'${status}'`).join(', ')}]) AS shown (status)
  CROSS JOIN LATERAL (
    SELECT id, reference_id FROM document_transaction
     WHERE tenant_id = $1 AND environment = $2 AND document_type = $3 AND ${SHOWN_STATUS_SQL} = shown.status
     ORDER BY id DESC LIMIT 1) latest
  WHERE NOT EXISTS (SELECT FROM by_hand)
  ORDER BY latest.id DESC LIMIT 1)`;

/** Finds the first unused number. Parameters: tenant, environment, document type, numbers. */
export const FIND_FREE_NUMBER = /* sql */ `
SELECT wanted.reference_id AS "referenceId" FROM unnest($4::text[]) WITH ORDINALITY AS wanted (reference_id, position)
 WHERE NOT EXISTS (
   SELECT FROM document WHERE tenant_id = $1 AND environment = $2 AND document_type = $3
      AND reference_id = wanted.reference_id)
 ORDER BY wanted.position LIMIT 1`;

interface NumberRow {
  readonly referenceId: string;
}

const LAST_DIGITS = /\d+$/;

/**
 * Lists the numbers that follow a document number. Increments its trailing digits and keeps their width.
 * @returns at most `count` numbers of valid length; none if the number does not end with a digit
 */
export function listNextNumbers(number: string, count: number): string[] {
  const [digits] = LAST_DIGITS.exec(number) ?? [];
  if (digits === undefined) return [];
  const before = number.slice(0, -digits.length);
  // Numbers above 2^53 need a bigint.
  const last = BigInt(digits);
  const numbers = Array.from({ length: count }, (_, index) => {
    return before + String(last + BigInt(index + 1)).padStart(digits.length, '0');
  });
  return numbers.filter(({ length }) => length <= REFERENCE_ID_LENGTH_MAX);
}
