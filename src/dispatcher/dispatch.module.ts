import { Module } from '@nestjs/common';
import { AuthorityModule } from '../authority/authority.module.js';
import { CancelLoop } from './cancel.loop.js';
import { DeliveryService } from './delivery.service.js';
import { HousekeepingLoop } from './housekeeping.loop.js';
import { OutcomeReader } from './outcome-reader.js';
import { PollLoop } from './poll.loop.js';
import { ProcessIdentity } from './process-identity.js';
import { ReconcileLoop } from './reconcile.loop.js';
import { ResendService } from './resend.service.js';
import { SubmitLoop } from './submit.loop.js';
import { SubmittedDocuments } from './submitted-documents.js';

/** The loops, each to be driven by its `tick()`. */
@Module({
  imports: [AuthorityModule],
  providers: [
    CancelLoop,
    DeliveryService,
    HousekeepingLoop,
    OutcomeReader,
    PollLoop,
    ProcessIdentity,
    ReconcileLoop,
    ResendService,
    SubmitLoop,
    SubmittedDocuments,
  ],
  exports: [SubmitLoop, PollLoop, CancelLoop, ReconcileLoop, HousekeepingLoop],
})
export class DispatchModule {}
