import type { Clock } from './clock.js';
import { EInvoiceError } from './errors.js';
import type { SubmissionStatus } from './types.js';

export interface WaitOptions {
  /** How long to wait at most; an hour unless stated otherwise. */
  readonly timeoutSeconds?: number;
  /** Called for each change. */
  readonly onChange?: (status: SubmissionStatus) => void;
  readonly signal?: AbortSignal;
}

export interface StatusReading {
  /** Null if nothing has changed since the response with the `etag` that was sent. */
  readonly status: SubmissionStatus | null;
  readonly etag: string | null;
  /** Null if there is nothing to wait for. */
  readonly nextPollAfterSeconds: number | null;
}

export interface ReadStatusOptions {
  /** Of an earlier reading: without a change since, `status` is null. */
  readonly etag?: string | null;
  /** With `etag`: the service holds its response for so long while nothing changes, at most 20 s. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

/** What the wait needs of a client. */
export interface StatusReader {
  readonly clock: Clock;
  readStatus(submissionBatchId: string, options: ReadStatusOptions): Promise<StatusReading>;
}

export const WAIT_SECONDS_MAX = 20;
const TIMEOUT_SECONDS = 3_600;
const POLL_SECONDS = 2;

/**
 * Polls until a batch is terminal. Polls begin `nextPollAfterSeconds` apart at least; one that the service holds takes
 * that time anyway.
 * @throws EInvoiceError `outcome_timeout`
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
