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

/** Counts only the latest failures, so that many failures do not slow down the page. */
export const COUNTED_MAX = 10_000;
export const EXAMPLES_MAX = 5;
const CAUSES_MAX = 100;

export interface Dismisser {
  readonly member: Member;
  readonly environment: Environment;
}

@Injectable()
export class NeedsActionService {
  constructor(private readonly transactions: DashboardTransactions) {}

  read(caller: Caller): Promise<NeedsActionDto> {
    return this.transactions.inTenant(caller, ({ tx }) => readNeedsAction(tx, caller, CAUSES_MAX));
  }

  /** Dismisses documents. A dismissed document needs action again if its resubmission fails. */
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

  /** @throws DashboardError (404) if the document is not dismissed */
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

/** Reads failed documents, grouped by their most frequent causes. */
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

const NO_ERROR = 'The document failed, and no error was stored';

/** Failed documents that were not dismissed. A partial index contains exactly these rows. */
const OPEN = /* sql */ `
  SELECT cause, transaction_id FROM failed_document
   WHERE tenant_id = $1 AND environment = $2 AND dismissed_at IS NULL`;

/**
 * Reads the causes of the latest failures, most frequent first, each with the error of its latest document. Parameters:
 * tenant, environment, maximum number of failures, of causes and of examples per cause.
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
  /** First error of the latest document, or null if none was stored. */
  readonly latest: {
    readonly message: string;
    readonly hint: string | null;
    readonly authorityCode: string | null;
    readonly authorityMessage: string | null;
  } | null;
  readonly examples: readonly { readonly transactionId: string; readonly referenceId: string }[];
}

/** Counts open and dismissed failures. Parameters: tenant, environment, maximum of each count. */
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
 * Dismisses failures, except documents that were resubmitted or dismissed meanwhile. Parameters: tenant, environment,
 * attempts, time, user, reason.
 */
const DISMISS = /* sql */ `
UPDATE failed_document f SET dismissed_at = $4, dismissed_by = $5, dismissal_reason = $6
 WHERE tenant_id = $1 AND environment = $2 AND transaction_id = ANY ($3::uuid[]) AND dismissed_at IS NULL
RETURNING transaction_id AS "transactionId",
          (SELECT reference_id FROM document d WHERE d.tenant_id = f.tenant_id AND d.id = f.document_id) AS "referenceId"`;

/** Parameters: tenant, environment, attempt. */
const TAKE_BACK = /* sql */ `
UPDATE failed_document f SET dismissed_at = NULL, dismissed_by = NULL, dismissal_reason = NULL
 WHERE tenant_id = $1 AND environment = $2 AND transaction_id = $3 AND dismissed_at IS NOT NULL
RETURNING transaction_id AS "transactionId",
          (SELECT reference_id FROM document d WHERE d.tenant_id = f.tenant_id AND d.id = f.document_id) AS "referenceId"`;

interface ChangedRow {
  readonly transactionId: string;
  readonly referenceId: string;
}

interface Cause {
  readonly code: string;
  /** Null if the error does not refer to a field. */
  readonly field: string | null;
}

const PROFILE = 'profile/';

/**
 * Splits the cause of a failure into error code and field name. A cause contains a pointer into the document, as in
 * `buyer_tin_invalid:/recipient/tin` (`*` stands for a line), or a profile field, as in `code_not_in_list:profile/State`.
 */
export function describeCause(cause: string): Cause {
  const colon = cause.indexOf(':');
  if (colon === -1) return { code: cause, field: null };
  const [code, fieldPath] = [cause.slice(0, colon), cause.slice(colon + 1)];
  if (fieldPath.startsWith(PROFILE)) return { code, field: describeProfileField(fieldPath.slice(PROFILE.length)) };
  return { code, field: describeField(`/documents/0${fieldPath.replaceAll('/*', '')}`) };
}
