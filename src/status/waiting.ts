import type { Explanation } from '../errors/explanation.js';
import type { StatusRow } from './status.sql.js';

export const WAITING_CODES = [
  'held',
  'authority_unavailable',
  'not_appointed',
  'supplier_refused',
  'in_doubt',
  'call_budget',
  'signing_certificate_expired',
  'signing_failed',
  'environment_not_configured',
] as const;
export type WaitingCode = (typeof WAITING_CODES)[number];

/** The reason why a document is not progressing (docs/rules.md#status-response). */
export interface Waiting {
  readonly code: WaitingCode;
  readonly message: string;
  /** The fix and the person who can make it. */
  readonly hint: string;
  readonly since: string;
}

const WAIT = { action: 'No action is needed.', resubmit: false } as const;

/** `resubmit` is always false, because the document continues automatically. */
export const WAITING_REASONS: Readonly<Record<WaitingCode, Explanation>> = {
  held: { ...WAIT, meaning: 'Held until its parent invoice is Valid', actor: 'authority' },
  authority_unavailable: {
    ...WAIT,
    meaning:
      'The tax authority does not respond or rejects the login of this service; the document is sent when the authority is available again',
    actor: 'authority',
  },
  not_appointed: {
    meaning: 'The organisation has not appointed this service as its intermediary at the tax authority',
    action:
      "Appoint this service as intermediary in the authority's taxpayer portal. The document is then sent automatically.",
    actor: 'caller',
    resubmit: false,
  },
  supplier_refused: {
    meaning:
      "The tax authority rejects the organisation's documents, because their supplier's TIN differs from the login's TIN or the supplier may not submit",
    action:
      "Compare the TIN and id in the organisation's profile with the authority's taxpayer portal. Once the authority's record is correct, the documents are sent automatically. If the profile is wrong, correct it, and ask the operator of this service about the documents that were accepted with the wrong profile.",
    actor: 'caller',
    resubmit: false,
  },
  in_doubt: {
    ...WAIT,
    meaning:
      "The tax authority's response was lost, the authority does not show the document that it accepted, or it may have an invalid copy and a valid one; the service looks the document up before it sends anything again",
    actor: 'authority',
  },
  call_budget: {
    ...WAIT,
    meaning: "The tax authority's call limit is reached; the document is sent as soon as the limit allows",
    actor: 'authority',
  },
  signing_certificate_expired: {
    meaning:
      'The signing certificate of this service has expired; the document is sent after the certificate is renewed',
    action: 'Renew the certificate and restart the dispatcher.',
    actor: 'operator',
    resubmit: false,
  },
  signing_failed: {
    meaning: 'This service cannot sign documents at the moment; the document is sent after signing works again',
    action: "Read the dispatcher's log, and correct the signing key or certificate.",
    actor: 'operator',
    resubmit: false,
  },
  environment_not_configured: {
    meaning:
      'No dispatcher of this service is configured for this environment; the document is sent after a dispatcher is configured',
    action: "Configure the environment's AUTHORITY settings for the dispatcher, and restart it.",
    actor: 'operator',
    resubmit: false,
  },
};

export function toWaiting(row: StatusRow): Waiting | null {
  if (row.submission_status !== 'Queued') return waiting('in_doubt', row.in_doubt_since);
  if (row.held_until !== null) return waiting('held', row.created_at);
  return (
    waiting(row.queue_waiting_code, row.queue_waiting_since) ??
    waiting(row.budget_waiting_code, row.budget_waiting_since)
  );
}

function waiting(reason: string | null, since: Date | null): Waiting | null {
  const code = WAITING_CODES.find((known) => known === reason);
  return code === undefined || since === null
    ? null
    : {
        code,
        message: WAITING_REASONS[code].meaning,
        hint: WAITING_REASONS[code].action,
        since: since.toISOString(),
      };
}
