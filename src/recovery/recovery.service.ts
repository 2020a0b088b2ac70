import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AuditAction } from '../accounts/actions.js';
import { type Actor, appendAudit, NO_ORGANISATION } from '../accounts/audit.js';
import { type FollowableSummary, isFollowable } from '../authority/wire.js';
import { readClockDriftSince } from '../authority/authority-clock.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { ENVIRONMENTS } from '../config/environment.js';
import { CreditAudit } from '../credits/credit-audit.js';
import { readServiceNow } from '../database/clock.js';
import { findDocumentType } from '../documents/document-types.js';
import { normaliseTin, readRepresentedTin } from '../documents/identity.js';
import { OperatorError } from '../errors/operator-error.js';
import { releaseWrongUuids } from '../dispatcher/queue/identity.sql.js';
import { AuthorityDocuments } from '../dispatcher/queue/authority-documents.js';
import { readSearchTimes } from '../dispatcher/queue/authority-times.js';
import { resetFloor } from '../dispatcher/queue/tenant-queues.js';
import { FoundDocuments, hasIdentityOf } from './found-documents.js';
import { releaseTenant } from './recovery-release.sql.js';
import {
  beginRecovery,
  type FoundRow,
  type NewFound,
  type OpenRecovery,
  readFound,
  readLatestRecovery,
  readOpenFound,
  readProgress,
  readSearchScopes,
  readUnsettledAttempt,
  type SearchScope,
  setFoundState,
  setSearched,
  storeFound,
  type TenantProgress,
} from './recovery.sql.js';

const WINDOW_MS_MAX = 30 * 24 * 3_600_000;
const WINDOW_MS_MIN = 1_000;

export interface RecoveryReport {
  readonly recovery: OpenRecovery;
  readonly tenants: readonly TenantProgress[];
  readonly documents: readonly ReportedDocument[];
}

/** A document at the authority that belongs to no attempt yet. */
export type ReportedDocument = Pick<
  FoundRow,
  | 'tenantId'
  | 'environment'
  | 'documentType'
  | 'referenceId'
  | 'authorityUuid'
  | 'authorityStatus'
  | 'issuedAt'
  | 'receivedAt'
  | 'state'
>;

export interface TenantSearch {
  readonly tenantId: string;
  readonly received: number;
  /** Why the search is incomplete, or null if it is complete. */
  readonly problem: string | null;
}

/** Operator commands after a restore to an earlier time (docs/restore.md). */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: AuthorityDocuments,
    private readonly found: FoundDocuments,
    private readonly credits: CreditAudit,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Makes all tenants wait.
   * @param since null for the last time at which a dispatcher reached the server
   * @throws OperatorError if `since` is in the future
   */
  begin(since: Date | null, actor: Actor): Promise<OpenRecovery> {
    return this.dataSource.transaction(async (tx) => {
      if (since !== null && since > (await readServiceNow(tx))) throw new OperatorError('--since is in the future');
      await beginRecovery(tx, since);
      const recovery = await readLatest(tx);
      const details = { since: recovery.since.toISOString() };
      await appendAudit(tx, actor, {
        tenantId: NO_ORGANISATION,
        action: 'recovery.begun',
        subject: recovery.id,
        details,
      });
      return recovery;
    });
  }

  /**
   * Searches for documents that the authority has received since the restored time, and adopts certain matches.
   * @param tenantIds empty for all tenants
   * @throws OperatorError if there is no recovery or no such tenant
   */
  async search(tenantIds: readonly string[]): Promise<TenantSearch[]> {
    const { manager } = this.dataSource;
    const recovery = await readLatest(manager);
    const searches: TenantSearch[] = [];
    for (const tenant of await this.readTenants(recovery, tenantIds)) {
      searches.push(await this.searchTenant(recovery, tenant));
    }
    return searches;
  }

  /** @throws OperatorError if there is no recovery or no such tenant */
  async report(tenantId: string | null): Promise<RecoveryReport> {
    const { manager } = this.dataSource;
    const recovery = await readLatest(manager);
    const tenants = await this.readTenants(recovery, tenantId === null ? [] : [tenantId]);
    return { recovery, tenants, documents: await readOpenFound(manager, tenantId) };
  }

  /**
   * Adopts a found document for an attempt.
   * @throws OperatorError if the document is not open, its type, number or TIN differ, or the attempt is settled
   */
  async adopt(authorityUuid: string, transactionId: string, actor: Actor): Promise<void> {
    const { manager } = this.dataSource;
    const found = await this.readOpen(manager, authorityUuid);
    const attempt = await readUnsettledAttempt(manager, transactionId);
    if (attempt === null) throw new OperatorError(`Transaction ${transactionId} is not waiting for the authority`);
    if (!hasIdentityOf(attempt, found)) {
      throw new OperatorError(
        `${authorityUuid} is ${found.documentType ?? 'document'} ${found.referenceId} of ${found.supplierTin}, and ` +
          `${transactionId} is ${attempt.documentType} ${attempt.referenceId} of ${attempt.supplierTin}`,
      );
    }
    if (!(await this.found.adoptByDecision(found, attempt))) {
      throw new OperatorError(
        `${authorityUuid} was not adopted: the authority did not return it, the attempt has changed, or another ` +
          `attempt has its uuid or issue time. Try again, or see "recover report"`,
      );
    }
    await this.audit(manager, actor, { action: 'recovery.adopted', tenantId: attempt.tenantId, authorityUuid });
  }

  /** Allows the number of a found document to be sent, because the document belongs to no attempt. */
  dismiss(authorityUuid: string, actor: Actor): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      const { environment, tenantId } = await this.readOpen(tx, authorityUuid);
      await setFoundState(tx, environment, { uuids: [authorityUuid], state: 'dismissed' });
      // Queued attempts with this number may be below the floor.
      await resetFloor(tx, tenantId);
      await this.audit(tx, actor, { action: 'recovery.dismissed', tenantId, authorityUuid });
    });
  }

  /**
   * Releases a tenant.
   * @param isUnsearched allows a tenant that cannot be searched
   * @throws OperatorError if the tenant is not searched, a document is disputed, or the credits deviate
   */
  async release(tenantId: string, { isUnsearched, actor }: { isUnsearched: boolean; actor: Actor }): Promise<void> {
    const { manager } = this.dataSource;
    const recovery = await readLatest(manager);
    if (recovery.endedAt !== null) throw new OperatorError('No recovery is open: every tenant is released');
    const [tenant] = await this.readTenants(recovery, [tenantId]);
    if (tenant.releasedAt !== null) throw new OperatorError(`${tenantId} is released already`);
    if (!isUnsearched) await this.assertSearched(recovery, tenant);
    if (tenant.disputed > 0) {
      throw new OperatorError(
        `${tenant.disputed} documents of the authority may belong to attempts of ${tenantId}. "recover report" lists ` +
          `them. Decide with "recover adopt" or "recover dismiss"`,
      );
    }
    const deviations = await this.credits.auditAll(tenantId);
    if (deviations.length > 0) {
      throw new OperatorError(`The credits of ${tenantId} deviate in ${deviations.length} places. See "credits audit"`);
    }
    await this.dataSource.transaction(async (tx) => {
      await releaseTenant(tx, recovery.id, tenantId);
      const details = { missing: tenant.missing, isUnsearched };
      await appendAudit(tx, actor, { tenantId, action: 'recovery.released', subject: tenant.name, details });
    });
  }

  private async assertSearched({ beganAt }: OpenRecovery, { tenantId, searchedAt }: TenantProgress): Promise<void> {
    // The authority lists documents some time after it received them. The clock may have jumped ahead meanwhile.
    const { manager } = this.dataSource;
    const now = await readServiceNow(manager);
    if (beganAt > now) {
      throw new OperatorError(
        `The database's clock was set back after the recovery began at ${beganAt.toISOString()}: run "recover begin" again, ` +
          `and "recover search" a minute later`,
      );
    }
    const drifts = await Promise.all(ENVIRONMENTS.map((each) => readClockDriftSince(manager, each, beganAt)));
    const waitSeconds =
      this.configuration.times.reconcileGraceSeconds + Math.max(...drifts.map(({ driftSeconds }) => driftSeconds));
    const soundFrom = new Date(beganAt.getTime() + waitSeconds * 1_000);
    if (searchedAt !== null && searchedAt >= soundFrom) return;
    throw new OperatorError(
      searchedAt === null
        ? `${tenantId} is not searched yet. Run "recover search ${tenantId}"`
        : `${tenantId} was searched before ${soundFrom.toISOString()}, before the authority listed all documents. Search it again`,
    );
  }

  private async searchTenant(recovery: OpenRecovery, { tenantId, releasedAt }: TenantProgress): Promise<TenantSearch> {
    const { manager } = this.dataSource;
    const searchedAt = await readServiceNow(manager);
    let received = 0;
    for (const scope of releasedAt === null ? await readSearchScopes(manager, tenantId) : []) {
      const problem = this.findProblem(scope);
      if (problem !== null) return { tenantId, received, problem };
      if (this.configuration.authorities[scope.environment] === undefined) continue;
      const shown = await this.searchScope(scope, { from: recovery.since, to: searchedAt });
      if (shown === null) {
        const { onBehalfOf, environment } = scope;
        return { tenantId, received, problem: `the authority could not be asked for ${onBehalfOf} in ${environment}` };
      }
      const { documents, isConclusive } = shown;
      received += documents.length;
      await releaseWrongUuids(manager, scope.environment, documents);
      const found = documents.map((summary) => toFound(summary, scope.onBehalfOf));
      await storeFound(manager, scope, found);
      if (!isConclusive) return { tenantId, received, problem: describeClocks(scope) };
    }
    const unavailable = await this.found.match(tenantId);
    if (unavailable > 0) return { tenantId, received, problem: `${unavailable} documents could not be read` };
    if (releasedAt === null) await setSearched(manager, { recoveryId: recovery.id, tenantId, searchedAt });
    return { tenantId, received, problem: null };
  }

  /** Returns why an environment of the tenant cannot be searched, or null. */
  private findProblem({ environment, isUsed }: SearchScope): string | null {
    if (!isUsed || this.configuration.authorities[environment] !== undefined) return null;
    const prefix = `AUTHORITY_${environment.toUpperCase()}`;
    return `set ${prefix}_API_URL, _CLIENT_ID and _CLIENT_SECRET and SECRETS_KEY, as for the dispatcher`;
  }

  private async searchScope(
    scope: SearchScope,
    { from, to }: { from: Date; to: Date },
  ): Promise<{ documents: FollowableSummary[]; isConclusive: boolean } | null> {
    const firstSentAt = new Date(Math.min(from.getTime(), scope.firstSentAt?.getTime() ?? Infinity));
    const window = await readSearchTimes(this.dataSource.manager, scope.environment, { from: firstSentAt, to });
    const [first, last] = [window.submittedFrom.getTime(), window.submittedTo.getTime()];
    const documents: FollowableSummary[] = [];
    for (let start = first; start < last; start += WINDOW_MS_MAX) {
      const part = await this.searchWindow(scope, start, Math.min(last, start + WINDOW_MS_MAX));
      if (part === null) return null;
      documents.push(...part);
    }
    const { isConclusive } = await readSearchTimes(this.dataSource.manager, scope.environment, {
      from: firstSentAt,
      to,
    });
    return { documents, isConclusive };
  }

  private async searchWindow(scope: SearchScope, from: number, to: number): Promise<FollowableSummary[] | null> {
    const slot = await this.documents.reserveSearch(scope.environment);
    if (slot === null) return null;
    const { signal } = new AbortController();
    const beforePage = (): Promise<void> => Promise.resolve();
    const window = { submittedFrom: new Date(from), submittedTo: new Date(to) };
    const rows = await this.documents.search({ taxpayer: scope, slot, signal, beforePage }, window);
    // An unreadable row may be any document.
    if (rows !== 'too-many') return rows?.every(isFollowable) === true ? rows : null;
    if (to - from <= WINDOW_MS_MIN) return null;
    const middle = from + Math.ceil((to - from) / 2);
    const earlier = await this.searchWindow(scope, from, middle);
    const later = earlier === null ? null : await this.searchWindow(scope, middle, to);
    return earlier === null || later === null ? null : [...earlier, ...later];
  }

  private async readTenants(recovery: OpenRecovery, tenantIds: readonly string[]): Promise<TenantProgress[]> {
    const tenants = await readProgress(this.dataSource.manager, recovery.id, null);
    if (tenantIds.length === 0) return tenants;
    return tenantIds.map((id) => {
      const tenant = tenants.find(({ tenantId }) => tenantId === id);
      if (tenant === undefined) throw new OperatorError(`There is no tenant ${id}: "tenant list" shows them`);
      return tenant;
    });
  }

  private async readOpen(tx: EntityManager, authorityUuid: string): Promise<FoundRow> {
    const found = await readFound(tx, authorityUuid);
    if (found !== null) return found;
    throw new OperatorError(`${authorityUuid} is not open. "recover report" lists the open uuids`);
  }

  private async audit(
    tx: EntityManager,
    actor: Actor,
    { action, tenantId, authorityUuid }: { action: AuditAction; tenantId: string; authorityUuid: string },
  ): Promise<void> {
    await appendAudit(tx, actor, { tenantId, action, subject: authorityUuid });
  }
}

/** @throws OperatorError if there was never a recovery */
async function readLatest(tx: EntityManager): Promise<OpenRecovery> {
  const recovery = await readLatestRecovery(tx);
  if (recovery === null) throw new OperatorError('There is no recovery. "recover begin" begins one after a restore');
  return recovery;
}

function describeClocks({ environment }: SearchScope): string {
  return (
    `the database's clock and the authority's in ${environment} differ by more than a day, so a search may miss documents: ` +
    `let the database's server follow NTP, and search again; if they differed only before, compare the portal, and release ` +
    `with --unsearched`
  );
}

function toFound(summary: FollowableSummary, onBehalfOf: string): NewFound {
  const { authorityUuid, submissionUid, referenceId, issuedAt, receivedAt } = summary;
  const tin = summary.supplierTin === null ? null : normaliseTin(summary.supplierTin);
  return {
    authorityUuid,
    submissionUid,
    supplierTin: tin ?? readRepresentedTin(onBehalfOf),
    documentType: findDocumentType(summary.typeName),
    referenceId,
    authorityStatus: summary.status,
    issuedAt,
    receivedAt,
  };
}
