import type { Charge } from '../credits/credits.service.js';
import type { ApiError } from '../errors/api-error.js';
import { IdempotencyKeyReusedError } from './idempotency-errors.js';

export type StoredResponse =
  | { readonly body_hash: Buffer; readonly response_status: number; readonly response: string }
  | { readonly body_hash: null; readonly response_status: null; readonly response: null };

export type ReadRequest = StoredResponse & { readonly now: Date };

export interface Acceptance {
  readonly status: 200 | 202;
  readonly body: object;
  readonly charge: Charge;
  /** The submission batch or cancellation that is charged. It is charged only once. */
  readonly causeId: string;
  /** The data on which the decision depends. The write fails if it has changed. */
  readonly precondition: unknown;
}

export interface Refusal {
  readonly refusal: ApiError;
}

export interface Replay {
  readonly replay: { readonly status: number; readonly text: string };
}

export type Decision<Accepted = Acceptance> = Refusal | Replay | { readonly accepted: Accepted };

/** Returns the stored response of the key, or null for a new key (docs/rules.md#idempotency). */
export function findReplay(stored: StoredResponse, bodyHash: string): Replay | Refusal | null {
  if (stored.response === null) return null;
  if (stored.body_hash.toString('hex') !== bodyHash) return { refusal: new IdempotencyKeyReusedError() };
  return { replay: { status: stored.response_status, text: stored.response } };
}
