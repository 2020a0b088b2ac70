import { Injectable } from '@nestjs/common';
import type { RequestAccess } from '../accounts/api-keys/access.hook.js';
import type { AuthenticatedCaller } from '../database/in-tenant.js';
import { BadRequestError } from '../errors/api-error.js';
import type { HttpResult } from '../http/http-result.js';
import { HeldPolls } from './held-polls.js';
import { matches, type StatusConditions } from './status-conditions.js';
import { StatusReader } from './status-reader.js';
import type { StatusRow } from './status.sql.js';
import { computeEntityTag, isMoving, type StatusRequest, toSubmissionStatus } from './submission-status.js';

const UUID_SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Reading {
  readonly entityTag: string;
  readonly result: HttpResult;
  /** Whether the client already has this representation and it may still change. */
  readonly isWorthWaiting: boolean;
}

interface Asked {
  readonly caller: AuthenticatedCaller;
  readonly submissionBatchId: string;
  readonly conditions: StatusConditions;
}

/** The client of a poll that may be held. */
export interface PollingClient {
  /** Aborted when the client closes the connection. */
  readonly gone: AbortSignal;
  /** Checks the key again after the wait. */
  readonly confirmAccess: RequestAccess['confirm'];
}

@Injectable()
export class StatusService {
  constructor(
    private readonly reader: StatusReader,
    private readonly heldPolls: HeldPolls,
  ) {}

  /**
   * Returns the stored state of a batch without an authority call (docs/rules.md#status-response).
   * @throws BadRequestError (400) for a malformed id, NotFoundError (404) if the caller has no such batch
   */
  async read(caller: AuthenticatedCaller, batchId: string): Promise<HttpResult> {
    const conditions = { ifNoneMatch: null, waitSeconds: 0 };
    const { result } = await this.readOnce({ caller, submissionBatchId: toBatchId(batchId), conditions });
    return result;
  }

  /**
   * Like `read`, but if the client already has the response, waits up to `waitSeconds` for a change.
   * @throws BadRequestError (400), NotFoundError (404), ApiKeyError (401) if the key expired during the wait
   */
  async poll(
    caller: AuthenticatedCaller,
    batchId: string,
    conditions: StatusConditions,
    { gone, confirmAccess }: PollingClient,
  ): Promise<HttpResult> {
    const waitUntil = performance.now() + conditions.waitSeconds * 1_000;
    const asked = { caller, submissionBatchId: toBatchId(batchId), conditions };
    let reading = await this.readOnce(asked);
    if (!reading.isWorthWaiting || !this.heldPolls.tryAcquireSlot(caller.tenantId)) return reading.result;
    try {
      for (;;) {
        const rows = await this.heldPolls.wait({ ...asked, entityTag: reading.entityTag, waitUntil, gone });
        try {
          await confirmAccess();
        } finally {
          await this.heldPolls.takeTurn(caller.tenantId);
        }
        if (rows === null) return reading.result;
        reading = this.judge(rows, asked);
        if (!reading.isWorthWaiting) return reading.result;
      }
    } finally {
      this.heldPolls.releaseSlot(caller.tenantId);
    }
  }

  private async readOnce(asked: Asked): Promise<Reading> {
    return this.judge(await this.reader.read(asked.caller, asked.submissionBatchId), asked);
  }

  private judge(rows: readonly StatusRow[], { caller, submissionBatchId, conditions }: Asked): Reading {
    const { portalUrl } = this.reader.getAuthority(caller);
    return judgeRows(rows, { submissionBatchId, environment: caller.environment, portalUrl }, conditions);
  }
}

/** @throws BadRequestError (400) */
function toBatchId(text: string): string {
  if (UUID_SHAPE.test(text)) return text.toLowerCase();
  throw new BadRequestError(
    'submission_batch_id_invalid',
    'submissionBatchId must be a UUID, from the response of submit',
  );
}

function judgeRows(
  rows: readonly StatusRow[],
  request: StatusRequest,
  { ifNoneMatch, waitSeconds }: StatusConditions,
): Reading {
  const status = toSubmissionStatus(rows, request);
  const entityTag = computeEntityTag(rows);
  const headers: Record<string, string | number> = { ETag: entityTag, 'Cache-Control': 'private, no-cache' };
  if (status.nextPollAfterSeconds !== null) headers['Retry-After'] = status.nextPollAfterSeconds;
  const isKnown = matches(ifNoneMatch, entityTag);
  return {
    entityTag,
    result: isKnown ? { status: 304, headers, body: null } : { status: 200, headers, body: status },
    isWorthWaiting: isKnown && waitSeconds > 0 && isMoving(rows),
  };
}
