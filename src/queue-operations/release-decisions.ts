export const RELEASE_DECISIONS = ['resend', 'adopt', 'outcome', 'fail'] as const;
export type ReleaseDecision = (typeof RELEASE_DECISIONS)[number];

/** Outcomes that an operator can state. */
export const STATED_OUTCOMES = ['valid', 'invalid', 'cancelled'] as const;
export type StatedOutcome = (typeof STATED_OUTCOMES)[number];

/**
 * The authority's search shows a document minutes after it accepted it: lookups end this long after the first send of a
 * call.
 */
export const LOOKUP_MINUTES_MAX = 115;

/**
 * Condition on a call `s`: its lookups or polls are overdue, or its client id has not logged in for a day, and lookups
 * would have ended by now. No dispatcher works on it, probably because none has its client id.
 */
export const IS_ABANDONED = /* sql */ `
  (s.state IN ('accepted', 'unknown') AND s.sent_at < service_now() - interval '${LOOKUP_MINUTES_MAX} minutes'
   AND (s.next_look_at < service_now() - interval '5 minutes'
        OR (s.state = 'unknown' AND s.next_look_at IS NULL
            AND NOT EXISTS (SELECT FROM authority_token a
                             WHERE a.environment = s.environment AND a.client_id = s.client_id
                               AND a.expires_at > service_now() - interval '1 day'))))`;

/** Condition on a document `t` of a call: it has no outcome, or a cancellation under way. */
export const IS_UNDECIDED = /* sql */ `
  (t.submission_status = 'Processing' OR t.authority_status = 'Submitted'
   OR EXISTS (SELECT FROM document_cancellation c
               WHERE c.tenant_id = t.tenant_id AND c.transaction_id = t.id AND c.status IN ('Queued', 'Processing')))`;

/** A call that may need an operator's decision. */
export interface DecidableCall {
  readonly state: string;
  /** When it is looked up or polled next; null: a person decides. */
  readonly nextLookAt: Date | null;
  readonly isAbandoned: boolean;
  /** Whether the authority accepted its documents; accepted documents are never sent again. */
  readonly isAccepted: boolean;
}

/** Lists what an operator can decide now. What would make documents exist twice, or free a number too early, is left out. */
export function listDecisions({ state, nextLookAt, isAbandoned, isAccepted }: DecidableCall): ReleaseDecision[] {
  if (state !== 'unknown') return isAbandoned ? ['adopt', 'outcome'] : [];
  if (isAbandoned) return isAccepted ? ['adopt', 'outcome', 'fail'] : ['resend', 'adopt', 'outcome', 'fail'];
  if (nextLookAt !== null) return ['adopt'];
  return isAccepted ? ['adopt', 'fail'] : ['resend', 'adopt', 'fail'];
}
