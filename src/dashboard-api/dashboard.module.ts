import { Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthorityModule } from '../authority/authority.module.js';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { CreditsModule } from '../credits/credits.module.js';
import { OPERATOR_DATA_SOURCE } from '../database/database.module.js';
import { AuthorityDocuments } from '../dispatcher/queue/authority-documents.js';
import { SubmissionReleaseService } from '../dispatcher/releases/submission-release.service.js';
import { PaperPrinter } from '../paper/paper-printer.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { StatusModule } from '../status/status.module.js';
import { SubmissionModule } from '../submission/submission.module.js';
import { TaxpayerModule } from '../taxpayer/taxpayer.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { AuditController } from './audit/audit.controller.js';
import { BatchesController } from './batches/batches.controller.js';
import { BatchesService } from './batches/batches.service.js';
import { BulkJobsController } from './bulk-jobs/bulk-jobs.controller.js';
import { BulkJobsService } from './bulk-jobs/bulk-jobs.service.js';
import { BulkWorkService } from './bulk-jobs/bulk-work.service.js';
import { BulkLoop } from './bulk-jobs/bulk.loop.js';
import { CreditsController } from './credits/credits.controller.js';
import { OrganisationCreditsService } from './credits/organisation-credits.service.js';
import { KeysController } from './keys/keys.controller.js';
import { OrganisationKeysService } from './keys/organisation-keys.service.js';
import { InvitationLinkController, InvitationsController } from './members/invitations.controller.js';
import { InvitationsService } from './members/invitations.service.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { NeedsActionController } from './needs-action/needs-action.controller.js';
import { NeedsActionService } from './needs-action/needs-action.service.js';
import { OperatorDatabase } from './operator/operator-database.js';
import { OperatorController } from './operator/operator.controller.js';
import { OperatorPagesService } from './operator/operator.service.js';
import { OperatorOrdersController } from './operator/orders.controller.js';
import { OperatorQueueController } from './operator/queue.controller.js';
import { OperatorVerificationsController } from './operator/verifications.controller.js';
import { AppointmentService } from './organisation/appointment.service.js';
import { CodeListsController } from './organisation/code-lists.controller.js';
import { OrganisationController } from './organisation/organisation.controller.js';
import { OrganisationService } from './organisation/organisation.service.js';
import { SubmissionsController } from './organisation/submissions.controller.js';
import { SubmissionsService } from './organisation/submissions.service.js';
import { OverviewController } from './overview/overview.controller.js';
import { OverviewService } from './overview/overview.service.js';
import { PapersController } from './papers/papers.controller.js';
import { PapersService } from './papers/papers.service.js';
import { NextNumbersService } from './sending/next-numbers.service.js';
import { RememberedService } from './sending/remembered.service.js';
import { SendingController } from './sending/sending.controller.js';
import { SessionResponsesService } from './session/session-responses.service.js';
import { PasswordLinkController, SessionController } from './session/session.controller.js';
import { SessionHook } from './session/session.hook.js';
import { SignUpService } from './session/sign-up.service.js';
import { CancelService } from './transactions/cancel.service.js';
import { TransactionDetailService } from './transactions/transaction-detail.service.js';
import { TransactionListService } from './transactions/transaction-list.service.js';
import { TransactionsController } from './transactions/transactions.controller.js';

/** API of the dashboard for users with sessions. Uses the same services as the four endpoints. */
@Module({
  imports: [
    AccountsModule,
    AuthorityModule,
    CancellationModule,
    CreditsModule,
    RateLimitsModule,
    StatusModule,
    SubmissionModule,
    TaxpayerModule,
    TenantsModule,
  ],
  // The API description lists the operations in this order.
  controllers: [
    SessionController,
    PasswordLinkController,
    OrganisationController,
    SubmissionsController,
    CodeListsController,
    OverviewController,
    NeedsActionController,
    TransactionsController,
    SendingController,
    BulkJobsController,
    PapersController,
    BatchesController,
    KeysController,
    CreditsController,
    MembersController,
    InvitationsController,
    InvitationLinkController,
    AuditController,
    OperatorController,
    OperatorOrdersController,
    OperatorQueueController,
    OperatorVerificationsController,
  ],
  providers: [
    AppointmentService,
    AuthorityDocuments,
    BatchesService,
    BulkJobsService,
    BulkLoop,
    BulkWorkService,
    CancelService,
    InvitationsService,
    MembersService,
    NeedsActionService,
    NextNumbersService,
    OperatorDatabase,
    OperatorPagesService,
    OrganisationCreditsService,
    OrganisationKeysService,
    OrganisationService,
    OverviewService,
    PaperPrinter,
    PapersService,
    RememberedService,
    SessionHook,
    SessionResponsesService,
    SignUpService,
    SubmissionsService,
    TransactionDetailService,
    TransactionListService,
    {
      // Lookups use tokens that the API's database connection reads. The operators' connection writes decisions.
      provide: SubmissionReleaseService,
      inject: [getDataSourceToken(OPERATOR_DATA_SOURCE), AuthorityDocuments, CONFIGURATION],
      useFactory: (dataSource: DataSource, documents: AuthorityDocuments, configuration: Configuration) =>
        new SubmissionReleaseService(dataSource, documents, configuration),
    },
  ],
})
export class DashboardModule {}
