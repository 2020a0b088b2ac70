import { Module } from '@nestjs/common';
import { AccountModule } from './account/account.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BatchesModule } from './batches/batches.module.js';
import { BulkJobsModule } from './bulk-jobs/bulk-jobs.module.js';
import { DashboardCreditsModule } from './credits/dashboard-credits.module.js';
import { KeysModule } from './keys/keys.module.js';
import { MembersModule } from './members/members.module.js';
import { NeedsActionModule } from './needs-action/needs-action.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { OrganisationModule } from './organisation/organisation.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { PapersModule } from './papers/papers.module.js';
import { SendingModule } from './sending/sending.module.js';
import { SessionModule } from './session/session.module.js';
import { TransactionsModule } from './transactions/transactions.module.js';

/** What the dashboard's pages ask: the same services as the four endpoints, for people with sessions. */
@Module({
  imports: [
    SessionModule,
    OrganisationModule,
    OverviewModule,
    NeedsActionModule,
    TransactionsModule,
    SendingModule,
    BulkJobsModule,
    PapersModule,
    BatchesModule,
    KeysModule,
    DashboardCreditsModule,
    MembersModule,
    AuditModule,
    AccountModule,
    OperatorModule,
  ],
})
export class DashboardModule {}
