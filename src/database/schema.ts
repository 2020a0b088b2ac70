import { ApiKey } from '../entities/api-key.entity.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { AuthorityDocument } from '../entities/authority-document.entity.js';
import { AuthorityPace } from '../entities/authority-pace.entity.js';
import { AuthorityClockDifference } from '../entities/authority-clock-difference.entity.js';
import { AuthorityShare } from '../entities/authority-share.entity.js';
import { AuthoritySubmission } from '../entities/authority-submission.entity.js';
import { AuthorityToken } from '../entities/authority-token.entity.js';
import { BulkJob } from '../entities/bulk-job.entity.js';
import { BulkJobItem } from '../entities/bulk-job-item.entity.js';
import { Buyer } from '../entities/buyer.entity.js';
import { BuyerWord } from '../entities/buyer-word.entity.js';
import { CreditAccount } from '../entities/credit-account.entity.js';
import { CreditEntry } from '../entities/credit-entry.entity.js';
import { CreditLot } from '../entities/credit-lot.entity.js';
import { CreditOrder } from '../entities/credit-order.entity.js';
import { DailyCountChange } from '../entities/daily-count-change.entity.js';
import { DailyCount } from '../entities/daily-count.entity.js';
import { DispatchLane } from '../entities/dispatch-lane.entity.js';
import { DatabaseServer } from '../entities/database-server.entity.js';
import { Document } from '../entities/document.entity.js';
import { DocumentCancellation } from '../entities/document-cancellation.entity.js';
import { DocumentTransaction } from '../entities/document-transaction.entity.js';
import { EventConsumer } from '../entities/event-consumer.entity.js';
import { EventDelivery } from '../entities/event-delivery.entity.js';
import { FailedDocument } from '../entities/failed-document.entity.js';
import { FoundDocument } from '../entities/found-document.entity.js';
import { HousekeepingTask } from '../entities/housekeeping-task.entity.js';
import { IdempotencyRecord } from '../entities/idempotency-record.entity.js';
import { Invitation } from '../entities/invitation.entity.js';
import { Membership } from '../entities/membership.entity.js';
import { RateLimitWindow } from '../entities/rate-limit-window.entity.js';
import { Recovery } from '../entities/recovery.entity.js';
import { RecoveryTenant } from '../entities/recovery-tenant.entity.js';
import { ServiceClock } from '../entities/service-clock.entity.js';
import { ServiceProcess } from '../entities/service-process.entity.js';
import { SignInThrottle } from '../entities/sign-in-throttle.entity.js';
import { StatusEvent } from '../entities/status-event.entity.js';
import { SubmissionBatch } from '../entities/submission-batch.entity.js';
import { AppointmentCheck } from '../entities/appointment-check.entity.js';
import { TaxpayerVerification } from '../entities/taxpayer-verification.entity.js';
import { TaxpayerCheck } from '../entities/taxpayer-check.entity.js';
import { Tenant } from '../entities/tenant.entity.js';
import { TenantRateLimit } from '../entities/tenant-rate-limit.entity.js';
import { UserAccount } from '../entities/user-account.entity.js';
import { PasswordLink } from '../entities/password-link.entity.js';
import { UserSession } from '../entities/user-session.entity.js';
import { Initial1795000000000 } from './migrations/1795000000000-initial.js';
import { MigrationHashes1796000000050 } from './migrations/1796000000050-migration-hashes.js';
import { DocumentIdentity1796000000100 } from './migrations/1796000000100-document-identity.js';
import { UnsendableWork1796000000110 } from './migrations/1796000000110-unsendable-work.js';
import { TaxpayerVerification1796000000200 } from './migrations/1796000000200-taxpayer-verification.js';
import { OldestQueued1796000000400 } from './migrations/1796000000400-oldest-queued.js';
import { PasswordLinks1796000000600 } from './migrations/1796000000600-password-links.js';
import { Actors1796000000700 } from './migrations/1796000000700-actors.js';
import { ParentsByUuid1796000000850 } from './migrations/1796000000850-parents-by-uuid.js';
import { RefusedLogins1796000000900 } from './migrations/1796000000900-refused-logins.js';
import { AlikeReferences1796000001050 } from './migrations/1796000001050-alike-references.js';
import { DatabaseFunctions1797000000100 } from './migrations/1797000000100-database-functions.js';
import { DocumentEvents1797000000200 } from './migrations/1797000000200-document-events.js';
import { OperatorsDeadLetters1797000000400 } from './migrations/1797000000400-operators-dead-letters.js';
import { RateLimits1797000000500 } from './migrations/1797000000500-rate-limits.js';
import { AccountLimits1797000000600 } from './migrations/1797000000600-account-limits.js';
import { NarrowThrottles1797000000700 } from './migrations/1797000000700-narrow-throttles.js';
import { AuthorityShares1797000000800 } from './migrations/1797000000800-authority-shares.js';
import { AccountFunctionsOnly1797000000900 } from './migrations/1797000000900-account-functions-only.js';
import { FailedDocuments1797000001700 } from './migrations/1797000001700-failed-documents.js';
import { BulkJobs1797000001800 } from './migrations/1797000001800-bulk-jobs.js';
import { Recovery1797000002200 } from './migrations/1797000002200-recovery.js';
import { BatchTraces1797000002300 } from './migrations/1797000002300-batch-traces.js';
import { SandboxCredits1797000002400 } from './migrations/1797000002400-sandbox-credits.js';
import { OrderPrices1797000002500 } from './migrations/1797000002500-order-prices.js';
import { DocumentSearch1797000002600 } from './migrations/1797000002600-document-search.js';
import { BulkTurns1797000002800 } from './migrations/1797000002800-bulk-turns.js';
import { KeysWithLimitsOnly1797000002900 } from './migrations/1797000002900-keys-with-limits-only.js';
import { DailyCounts1797000003000 } from './migrations/1797000003000-daily-counts.js';
import { ResendAfter1797000010600 } from './migrations/1797000010600-resend-after.js';
import { ProcessReports1798000001400 } from './migrations/1798000001400-process-reports.js';
import { OperatorsClock1798000001500 } from './migrations/1798000001500-operators-clock.js';
import { AppointedSince1799000000100 } from './migrations/1799000000100-appointed-since.js';
import { OperatorsCancellations1799000000200 } from './migrations/1799000000200-operators-cancellations.js';
import { CausesOfTheProfile1799000000300 } from './migrations/1799000000300-causes-of-the-profile.js';
import { ShownDocuments1799000000400 } from './migrations/1799000000400-shown-documents.js';
import { RefusedResends1797000100500 } from './migrations/1797000100500-refused-resends.js';
import { CallClientIds1797000100600 } from './migrations/1797000100600-call-client-ids.js';
import { AuthorityClock1797000200900 } from './migrations/1797000200900-authority-clock.js';
import { ConfirmedUuids1797000100510 } from './migrations/1797000100510-confirmed-uuids.js';

/** Every table's class. */
export const ENTITIES = [
  ApiKey,
  AuditEntry,
  AuthorityDocument,
  AuthorityPace,
  AuthorityClockDifference,
  AuthorityShare,
  AuthoritySubmission,
  AuthorityToken,
  BulkJob,
  BulkJobItem,
  Buyer,
  BuyerWord,
  CreditAccount,
  CreditEntry,
  CreditLot,
  CreditOrder,
  DailyCount,
  DailyCountChange,
  DatabaseServer,
  DispatchLane,
  Document,
  DocumentCancellation,
  DocumentTransaction,
  EventConsumer,
  EventDelivery,
  FailedDocument,
  FoundDocument,
  HousekeepingTask,
  IdempotencyRecord,
  Invitation,
  Membership,
  RateLimitWindow,
  Recovery,
  RecoveryTenant,
  ServiceClock,
  ServiceProcess,
  SignInThrottle,
  StatusEvent,
  SubmissionBatch,
  AppointmentCheck,
  TaxpayerCheck,
  TaxpayerVerification,
  Tenant,
  TenantRateLimit,
  UserAccount,
  UserSession,
  PasswordLink,
];

/** In the order in which they run. */
export const MIGRATIONS = [
  Initial1795000000000,
  MigrationHashes1796000000050,
  DocumentIdentity1796000000100,
  UnsendableWork1796000000110,
  TaxpayerVerification1796000000200,
  OldestQueued1796000000400,
  PasswordLinks1796000000600,
  Actors1796000000700,
  ParentsByUuid1796000000850,
  RefusedLogins1796000000900,
  AlikeReferences1796000001050,
  DatabaseFunctions1797000000100,
  DocumentEvents1797000000200,
  OperatorsDeadLetters1797000000400,
  RateLimits1797000000500,
  AccountLimits1797000000600,
  NarrowThrottles1797000000700,
  AuthorityShares1797000000800,
  AccountFunctionsOnly1797000000900,
  FailedDocuments1797000001700,
  BulkJobs1797000001800,
  Recovery1797000002200,
  BatchTraces1797000002300,
  SandboxCredits1797000002400,
  OrderPrices1797000002500,
  DocumentSearch1797000002600,
  BulkTurns1797000002800,
  KeysWithLimitsOnly1797000002900,
  DailyCounts1797000003000,
  ResendAfter1797000010600,
  RefusedResends1797000100500,
  ConfirmedUuids1797000100510,
  CallClientIds1797000100600,
  AuthorityClock1797000200900,
  ProcessReports1798000001400,
  OperatorsClock1798000001500,
  AppointedSince1799000000100,
  OperatorsCancellations1799000000200,
  CausesOfTheProfile1799000000300,
  ShownDocuments1799000000400,
];
