import { ApiKey } from '../entities/api-key.entity.js';
import { AuditEntry } from '../entities/audit-entry.entity.js';
import { AuthorityDocument } from '../entities/authority-document.entity.js';
import { CallBudget } from '../entities/call-budget.entity.js';
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
import { TenantQueue } from '../entities/tenant-queue.entity.js';
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
import { Baseline1795815000000 } from './migrations/baseline.js';

export const ENTITIES = [
  ApiKey,
  AuditEntry,
  AuthorityDocument,
  CallBudget,
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
  DatabaseServer,
  TenantQueue,
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

export const MIGRATIONS = [Baseline1795815000000];
