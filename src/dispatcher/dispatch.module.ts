import { Module } from '@nestjs/common';
import { AuthorityModule } from '../authority/authority.module.js';
import { CreditAudit } from '../credits/credit-audit.js';
import { AuthorityDocuments } from './authority-documents.js';
import { CancelLoop } from './cancel.loop.js';
import { CallWindows } from './call-windows.js';
import { CredentialsLoop } from './credentials.loop.js';
import { DeliveryService } from './delivery.service.js';
import { HoldLoop } from './hold.loop.js';
import { HousekeepingLoop } from './housekeeping.loop.js';
import { OutcomeReader } from './outcome-reader.js';
import { type Loop, LOOPS } from './loop.js';
import { PollLoop } from './poll.loop.js';
import { ProbeService } from './probe.service.js';
import { ReconcileLoop } from './reconcile.loop.js';
import { ResendService } from './resend.service.js';
import { Signers } from './signers.js';
import { SubmitLoop } from './submit.loop.js';
import { SubmittedDocuments } from './submitted-documents.js';

const ALL_LOOPS = [SubmitLoop, PollLoop, HoldLoop, CancelLoop, ReconcileLoop, CredentialsLoop, HousekeepingLoop];

/** The loops, each to be driven by its `tick()`. */
@Module({
  imports: [AuthorityModule],
  providers: [
    AuthorityDocuments,
    CallWindows,
    CancelLoop,
    CredentialsLoop,
    CreditAudit,
    DeliveryService,
    HoldLoop,
    HousekeepingLoop,
    OutcomeReader,
    PollLoop,
    ProbeService,
    ReconcileLoop,
    ResendService,
    Signers,
    SubmitLoop,
    SubmittedDocuments,
    { provide: LOOPS, inject: ALL_LOOPS, useFactory: (...loops: Loop[]) => loops },
  ],
  exports: [LOOPS, ...ALL_LOOPS],
})
export class DispatchModule {}
