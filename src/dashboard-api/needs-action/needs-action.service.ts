import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appendAudit } from '../../accounts/audit.js';
import type { Environment } from '../../config/environment.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { readRefusedCode } from '../../documents/refused-code.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import type { Member } from '../session/access.js';
import { shortenValue } from '../transactions/shown-error.js';
import type { CauseDto, DismissDto, DismissedDto, NeedsActionDto } from './dto/needs-action.dto.js';
import { describeField, describeProfileField } from '../transactions/field-names.js';

/** Documents that are counted, the latest: an organisation that never clears its failures does not slow the page down. */
export const COUNTED_MAX = 10_000;
export const EXAMPLES_MAX = 5;
const CAUSES_MAX = 100;

/** Who dismisses, and in which environment. */
export interface Dismisser {
  readonly member: Member;
  readonly environment: Environment;
}

@Injectable()
export class NeedsActionService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** The documents whose last attempt failed and which nobody has dismissed, by what they failed by. */
  read(caller: Caller): Promise<NeedsActionDto> {
    return this.transactions.inTenant(caller, ({ tx }) => readNeedsAction(tx, caller, CAUSES_MAX));
  }

  /** Takes documents from the list for a reason, until they are submitted again and fail again. */
  dismiss({ member, environment }: Dismisser, { documents, reason }: DismissDto): Promise<DismissedDto> {
    const { tenantId, actor } = member;
    const ids = documents.map(({ transactionId }) => transactionId);
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const parameters = [tenantId, environment, ids, now, actor.userId, reason];
      const [dismissed] = await tx.query<[ChangedRow[], number]>(DISMISS, parameters);
      for (const { transactionId, referenceId } of dismissed) {
        const details = { environment, reason, transactionId };
        await appendAudit(tx, actor, { tenantId, action: 'document.dismissed', subject: referenceId, details });
      }
      return { dismissed: dismissed.length };
    });
  }

  /**
   * Puts a dismissed document back on the list.
   * @throws DashboardError (404) when it is not dismissed
   */
  takeBack({ member, environment }: Dismisser, transactionId: string): Promise<void> {
    const { tenantId, actor } = member;
    return this.transactions.inTenant({ tenantId }, async ({ tx }) => {
      const [[found]] = await tx.query<[ChangedRow[], number]>(TAKE_BACK, [tenantId, environment, transactionId]);
      if (found === undefined) throw new DashboardError('not_found_here');
      const details = { environment, transactionId };
      const action = 'document.dismissal_taken_back';
      await appendAudit(tx, actor, { tenantId, action, subject: found.referenceId, details });
    });
  }
}

/** What needs action, with the causes of most documents. */
export async function readNeedsAction(
  tx: EntityManager,
  { tenantId, environment }: Caller,
  causesMax: number,
): Promise<NeedsActionDto> {
  const scope = [tenantId, environment, COUNTED_MAX];
  const [counts] = await tx.query<FailedCountRow[]>(COUNT_FAILED, scope);
  const causes =
    counts.documents === 0 ? [] : await tx.query<CauseRow[]>(READ_CAUSES, [...scope, causesMax, EXAMPLES_MAX]);
  return Object.assign({}, counts, { countedMax: COUNTED_MAX, causes: causes.map(toCause) });
}

function toCause({ cause, documents, latest, examples }: CauseRow): CauseDto {
  const { message = NO_ERROR, hint = null, authorityCode = null, authorityMessage = null } = latest ?? {};
  const sentValue = shortenValue(readRefusedCode(authorityMessage ?? '')?.value ?? null);
  return {
    cause,
    ...describeCause(cause),
    message,
    sentValue,
    hint,
    authorityCode,
    documents,
    examples: [...examples],
  };
}

const NO_ERROR = 'It failed without an error that is kept';

/**
 * Documents that need action are those of failed_document that nobody has dismissed: their last attempt failed. All of
 * these read indexes that hold nothing else.
 */
const OPEN = /* sql */ `
  SELECT cause, transaction_id FROM failed_document
   WHERE tenant_id = $1 AND environment = $2 AND dismissed_at IS NULL`;

/**
 * $1 tenant, $2 environment, $3 documents to look at, $4 causes to name, $5 documents to name of each: the causes by
 * which the latest of these failed, those of most documents first, each with the words of its latest.
 */
export const READ_CAUSES = /* sql */ `
WITH open AS MATERIALIZED (${OPEN} ORDER BY transaction_id DESC LIMIT $3::integer),
grouped AS MATERIALIZED (
  SELECT cause, count(*)::integer AS documents, (array_agg(transaction_id ORDER BY transaction_id DESC))[1:$5::integer] AS ids
    FROM open GROUP BY cause ORDER BY documents DESC, cause LIMIT $4::integer)
SELECT cause, documents, named.latest, named.examples
  FROM grouped
 CROSS JOIN LATERAL (
   SELECT (array_agg(t.errors->0 ORDER BY t.id DESC))[1] AS latest,
          jsonb_agg(jsonb_build_object('transactionId', t.id, 'referenceId', t.reference_id) ORDER BY t.id DESC) AS examples
     FROM unnest(grouped.ids) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT id, reference_id, errors FROM document_transaction WHERE tenant_id = $1 AND id = wanted.id OFFSET 0) t
   ) named
 ORDER BY documents DESC, cause`;

interface CauseRow {
  readonly cause: string;
  readonly documents: number;
  /** Null for an attempt that failed without an error. */
  readonly latest: {
    readonly message: string;
    readonly hint: string | null;
    readonly authorityCode: string | null;
    readonly authorityMessage: string | null;
  } | null;
  readonly examples: readonly { readonly transactionId: string; readonly referenceId: string }[];
}

/** $1 tenant, $2 environment, $3 how many are counted of each at most. */
export const COUNT_FAILED = /* sql */ `
SELECT (SELECT count(*) FROM (${OPEN} LIMIT $3::integer) AS open)::integer AS documents,
       (SELECT count(*) FROM (
          SELECT FROM failed_document
           WHERE tenant_id = $1 AND environment = $2 AND dismissed_at IS NOT NULL LIMIT $3::integer) AS dismissed)::integer
         AS dismissed`;

interface FailedCountRow {
  readonly documents: number;
  readonly dismissed: number;
}

/**
 * $1 tenant, $2 environment, $3 attempts, $4 now, $5 the user, $6 the reason. What was submitted again or dismissed
 * meanwhile is left alone.
 */
const DISMISS = /* sql */ `
UPDATE failed_document f SET dismissed_at = $4, dismissed_by = $5, dismissal_reason = $6
 WHERE tenant_id = $1 AND environment = $2 AND transaction_id = ANY ($3::uuid[]) AND dismissed_at IS NULL
RETURNING transaction_id AS "transactionId",
          (SELECT reference_id FROM document d WHERE d.tenant_id = f.tenant_id AND d.id = f.document_id) AS "referenceId"`;

/** $1 tenant, $2 environment, $3 attempt. */
const TAKE_BACK = /* sql */ `
UPDATE failed_document f SET dismissed_at = NULL, dismissed_by = NULL, dismissal_reason = NULL
 WHERE tenant_id = $1 AND environment = $2 AND transaction_id = $3 AND dismissed_at IS NOT NULL
RETURNING transaction_id AS "transactionId",
          (SELECT reference_id FROM document d WHERE d.tenant_id = f.tenant_id AND d.id = f.document_id) AS "referenceId"`;

interface ChangedRow {
  readonly transactionId: string;
  readonly referenceId: string;
}

/** Why documents failed, in words: what their errors have in common. */
interface Cause {
  readonly code: string;
  /** Null for what the request does not hold. */
  readonly field: string | null;
}

const PROFILE = 'profile/';

/**
 * Reads the cause of a failed document: the code of its first error and, after a colon, the field without the positions
 * of document and lines, as in `buyer_tin_invalid:/recipient/tin`, or the label of a field of the profile, as in
 * `code_not_in_list:profile/State`. `*` stands for a line.
 */
export function describeCause(cause: string): Cause {
  const colon = cause.indexOf(':');
  if (colon === -1) return { code: cause, field: null };
  const [code, fieldPath] = [cause.slice(0, colon), cause.slice(colon + 1)];
  if (fieldPath.startsWith(PROFILE)) return { code, field: describeProfileField(fieldPath.slice(PROFILE.length)) };
  return { code, field: describeField(`/documents/0${fieldPath.replaceAll('/*', '')}`) };
}
