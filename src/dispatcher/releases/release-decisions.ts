import { IS_LOOKUP_TIME_OVER, IS_UUID_IN_DOUBT } from '../queue/authority-submissions.sql.js';

export const RELEASE_DECISIONS = ['resend', 'adopt', 'outcome', 'fail'] as const;
export type ReleaseDecision = (typeof RELEASE_DECISIONS)[number];

export const STATED_OUTCOMES = ['valid', 'invalid', 'cancelled'] as const;
export type StatedOutcome = (typeof STATED_OUTCOMES)[number];

/** Condition on a call `s` in doubt: a lookup showed possible copies, or the documents are duplicates. */
export const MAY_HAVE_ARRIVED = /* sql */ `(s.state = 'unknown' AND s.lookups > 0 AND s.missing_since IS NULL)`;

/** Condition on a call `s` that no dispatcher handles, probably because none uses its client id. */
export const IS_ABANDONED = /* sql */ `
  (s.state IN ('accepted', 'unknown') AND ${IS_LOOKUP_TIME_OVER}
   AND (s.due_at < service_now() - interval '5 minutes'
        OR (s.state = 'unknown' AND s.due_at IS NULL
            AND NOT EXISTS (SELECT FROM authority_token a
                             WHERE a.environment = s.environment AND a.client_id = s.client_id
                               AND a.expires_at > service_now() - interval '1 day'))))`;

/** Condition on a document `t` that has no outcome, a wrong uuid, or an unfinished cancellation. */
export const IS_UNDECIDED = /* sql */ `
  (t.submission_status = 'Processing' OR t.authority_status = 'Submitted' OR ${IS_UUID_IN_DOUBT}
   OR EXISTS (SELECT FROM document_cancellation c
               WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status IN ('Queued', 'Processing')))`;

/** Condition on an accepted call `s` that has been polled for an hour, like the alert EinvoiceSubmittedStuck. */
export const HAS_NO_OUTCOME = /* sql */ `(s.state = 'accepted' AND s.sent_at < service_now() - interval '1 hour')`;

export interface DecidableCall {
  readonly state: string;
  readonly isToDecide: boolean;
  readonly isAbandoned: boolean;
  readonly isAccepted: boolean;
  readonly isUuidInDoubt: boolean;
  readonly mayHaveArrived: boolean;
}

/** Lists the possible decisions. Excludes those that would duplicate documents or release a number too early. */
export function listDecisions(call: DecidableCall): ReleaseDecision[] {
  const { state, isToDecide, isAbandoned, isAccepted, isUuidInDoubt, mayHaveArrived } = call;
  if (state !== 'unknown') return isAbandoned ? ['adopt', 'outcome'] : [];
  const possible: Readonly<Record<ReleaseDecision, boolean>> = {
    resend: (isToDecide || isAbandoned) && !isAccepted && !isUuidInDoubt && !mayHaveArrived,
    adopt: true,
    outcome: isAbandoned,
    fail: (isToDecide || isAbandoned) && !isUuidInDoubt,
  };
  return RELEASE_DECISIONS.filter((decision) => possible[decision]);
}
