import type { Charge } from '../credits/credits.service.js';
import type { ApiError } from '../errors/api-error.js';
import { IdempotencyKeyReusedError } from './idempotency-errors.js';

/** The response that a key has already, or none. */
export type StoredResponse =
  | { readonly body_hash: Buffer; readonly response_status: number; readonly response: string }
  | { readonly body_hash: null; readonly response_status: null; readonly response: null };

/** What every read of a request returns in addition to what its decision needs, all of one snapshot. */
export type ReadRequest = StoredResponse & { readonly now: Date };

/** A request that may be accepted: what it responds, what it costs and what it writes. */
export interface Acceptance {
  readonly status: 200 | 202;
  readonly body: object;
  readonly charge: Charge;
  /** What is paid for, the submission batch or the cancellation: one cause is charged once. */
  readonly causeId: string;
  /** What was decided on, as it was read: it must still be so under the locks. */
  readonly precondition: unknown;
}

export interface Refusal {
  readonly refusal: ApiError;
}

/** An earlier request with the key and this body has had this response. */
export interface Replay {
  readonly replay: { readonly status: number; readonly text: string };
}

export type Decision<Accepted = Acceptance> = Refusal | Replay | { readonly accepted: Accepted };

/**
 * Decides a request whose key has a response already; returns null for a new key
 * (docs/rules.md#idempotency).
 */
export function findReplay(stored: StoredResponse, bodyHash: string): Replay | Refusal | null {
  if (stored.response === null) return null;
  if (stored.body_hash.toString('hex') !== bodyHash) return { refusal: new IdempotencyKeyReusedError() };
  return { replay: { status: stored.response_status, text: stored.response } };
}
