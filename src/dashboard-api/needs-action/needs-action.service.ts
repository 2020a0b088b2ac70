import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appendAudit } from '../../audit/audit.js';
import type { Environment } from '../../config/environment.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { readRefusedCode } from '../../documents/refused-code.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import type { Member } from '../session/access.js';
import { shortenValue } from '../transactions/shown-error.js';
import { describeCause } from './cause.js';
import type { CauseDto, DismissDto, DismissedDto, NeedsActionDto } from './dto/needs-action.dto.js';
import {
  type CauseRow,
  type ChangedRow,
  COUNT_FAILED,
  DISMISS,
  type FailedCountRow,
  READ_CAUSES,
  TAKE_BACK,
} from './needs-action.sql.js';

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
