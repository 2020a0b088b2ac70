import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import type { Environment } from '../../config/environment.js';
import { SigningError } from './build-member.js';
import { type CallWindow, CallWindows } from '../queue/call-windows.js';
import { CALL_DOCUMENTS_MAX, type ClaimRequest, claimSubmission } from './claim.js';
import type { ClaimedSubmission, LoginNeeded } from '../queue/claimed-submission.js';
import { DeliveryService } from '../queue/delivery.service.js';
import { makeTenantQueuesWait, findQueuedWork } from '../queue/tenant-queues.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';
import { ProbeService } from './probe.service.js';
import { Signers } from './signers.js';

/** A later slot is left to the next tick, so that claimed documents are sent immediately. */
const SLOT_WITHIN_MS = 2_000;

type Claim = ClaimRequest & CallWindow<'submit'>;

@Injectable()
// A response for 100 documents may take five seconds. Even then, eight parallel calls use the whole call budget.
@RepeatedLoop({ name: 'submit', intervalMs: 250, concurrency: 8 })
export class SubmitLoop implements Loop {
  private readonly logger = new Logger(SubmitLoop.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly windows: CallWindows,
    private readonly delivery: DeliveryService,
    private readonly probe: ProbeService,
    private readonly signers: Signers,
  ) {}

  async tick(signal: AbortSignal): Promise<number> {
    if (!this.windows.sendsQueued) return 0;
    const sends = this.windows.environments.map((environment) => this.sendOne(environment, signal));
    return (await Promise.all(sends)).filter(Boolean).length;
  }

  private async sendOne(environment: Environment, signal: AbortSignal): Promise<boolean> {
    const now = await findQueuedWork(this.dataSource.manager, environment);
    if (now === null || (await this.waitIfUnsignable(environment, now))) return false;
    const window = await this.windows.open(environment, 'submit', SLOT_WITHIN_MS);
    if (window === null) return false;
    if (window.slot.isProbe) return this.probe.send(environment, { window, signal });
    // Limits a trial call to one document, because a failing authority may leave the call in doubt for a long time.
    const documentsMax = window.slot.isTrial ? 1 : CALL_DOCUMENTS_MAX;
    const claimedSince = new Date();
    const request = {
      environment,
      clientId: this.windows.getClientId(environment),
      ...window,
      documentsMax,
      signer: this.signers.forEnvironment(environment),
    };
    const claimed = await this.claim(request);
    if (claimed === null) return false;
    const submission = isClaimed(claimed) ? claimed : await this.logInAndClaim(claimed, request, signal);
    if (submission !== null) await this.delivery.deliver({ submission, window, signal, claimedSince });
    return true;
  }

  private async logInAndClaim(
    needed: LoginNeeded,
    request: Claim,
    signal: AbortSignal,
  ): Promise<ClaimedSubmission | null> {
    await this.delivery.logIn(needed, { deadlineAt: request.deadlineAt, signal });
    const claimed = await this.claim(request);
    return claimed !== null && isClaimed(claimed) ? claimed : null;
  }

  private async waitIfUnsignable(environment: Environment, now: Date): Promise<boolean> {
    const wait = this.signers.findWait(environment, now);
    if (wait === null) return false;
    this.logger.error(`Documents of ${environment} wait: ${wait.code}`);
    await this.inTransaction((tx) => makeTenantQueuesWait(tx, environment, wait));
    return true;
  }

  /** Claims again when the slot opens if other dispatchers have locked all tenant queues with work. */
  private async claim(request: Claim): Promise<ClaimedSubmission | LoginNeeded | null> {
    const claim = async (): Promise<ClaimedSubmission | LoginNeeded | null> => {
      try {
        return await this.inTransaction((tx) => claimSubmission(tx, request));
      } catch (error) {
        if (!(error instanceof SigningError)) throw error;
        this.signers.recordFailure(request.environment, error);
        return null;
      }
    };
    const submission = await claim();
    if (submission !== null || request.slot.remainingMs === 0) return submission;
    await request.slot.ready();
    return claim();
  }

  private inTransaction<Result>(work: (tx: EntityManager) => Promise<Result>): Promise<Result> {
    return withFailpoints('dispatch.claim', () => this.dataSource.transaction(work));
  }
}

function isClaimed(claimed: ClaimedSubmission | LoginNeeded): claimed is ClaimedSubmission {
  return 'members' in claimed;
}
