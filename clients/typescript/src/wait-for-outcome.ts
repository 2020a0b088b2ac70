import type { Clock } from './clock.js';
import { EInvoiceError } from './errors.js';
import type { SubmissionStatus } from './types.js';

export interface WaitOptions {
  /** Maximum wait in seconds. Defaults to one hour. */
  readonly timeoutSeconds?: number;
  /** Called after each change of the status. */
  readonly onChange?: (status: SubmissionStatus) => void;
  readonly signal?: AbortSignal;
}

export interface StatusReading {
  /** Null if the status has not changed since the response with the given `etag`. */
  readonly status: SubmissionStatus | null;
  readonly etag: string | null;
  /** Null if no further poll is needed. */
  readonly nextPollAfterSeconds: number | null;
}

export interface ReadStatusOptions {
  /** `etag` of an earlier reading. If the status is unchanged, the new reading has `status` null. */
  readonly etag?: string | null;
  /** Seconds for which the service holds its response until the status changes, at most 20. Requires `etag`. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

/** The part of the client that waitForOutcome uses. */
export interface StatusReader {
  readonly clock: Clock;
  readStatus(submissionBatchId: string, options: ReadStatusOptions): Promise<StatusReading>;
}

export const WAIT_SECONDS_MAX = 20;
const TIMEOUT_SECONDS = 3_600;
const POLL_SECONDS = 2;

/**
 * Polls until a batch is terminal, at intervals of at least `nextPollAfterSeconds`.
 * @throws EInvoiceError with the code `outcome_timeout` after the timeout
 */
export async function waitForOutcome(
  reader: StatusReader,
  submissionBatchId: string,
  { timeoutSeconds = TIMEOUT_SECONDS, onChange, signal }: WaitOptions,
): Promise<SubmissionStatus> {
  const { clock } = reader;
  const giveUpAt = clock.now() + timeoutSeconds * 1_000;
  let etag: string | null = null;
  let last: SubmissionStatus | null = null;
  for (;;) {
    const begunAt = clock.now();
    const secondsLeft = Math.max(0, Math.ceil((giveUpAt - begunAt) / 1_000));
    const waitSeconds = Math.min(WAIT_SECONDS_MAX, secondsLeft);
    const reading: StatusReading = await reader.readStatus(submissionBatchId, { etag, waitSeconds, signal });
    etag = reading.etag ?? etag;
    if (reading.status !== null) {
      last = reading.status;
      onChange?.(last);
      if (last.terminal) return last;
    }
    const nextPollAt = begunAt + (reading.nextPollAfterSeconds ?? POLL_SECONDS) * 1_000;
    if (Math.max(nextPollAt, clock.now()) >= giveUpAt) throw toTimeout(submissionBatchId, timeoutSeconds, last);
    await clock.wait(Math.max(0, nextPollAt - clock.now()), signal);
  }
}

function toTimeout(submissionBatchId: string, seconds: number, last: SubmissionStatus | null): EInvoiceError {
  return new EInvoiceError(
    'outcome_timeout',
    `Batch ${submissionBatchId} is ${last?.status ?? 'unknown'} after ${seconds} s; wait for it again later`,
  );
}
