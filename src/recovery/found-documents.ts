import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { AuthorityCalls } from '../authority/authority-calls.js';
import { CallBudget } from '../authority/call-budget.js';
import { getAuthoritySettings } from '../authority/settings.js';
import { type Configuration, CONFIGURATION } from '../config/configuration.js';
import { readServiceNow } from '../database/clock.js';
import { readSubmittedAt } from '../dispatcher/queue/authority-times.js';
import { readUuidOwners } from '../dispatcher/queue/identity.sql.js';
import { changeStatuses, type StatusChange } from '../dispatcher/queue/status-changes.js';
import { buildAt, isDocumentOf, readParentUuid, readVersion } from './rebuild.js';
import {
  endEmptied,
  findOrAddSubmission,
  type FoundBytes,
  type FoundRow,
  lockAttempt,
  prepareAdoption,
  readOpenFound,
  readUnsettledAttempts,
  setFoundState,
  storeFoundBytes,
  type UnsettledAttempt,
} from './recovery.sql.js';

const RAW_SLOT_WITHIN_MS = 60_000;
const IDENTITY_CONSTRAINT = 'uq_authority_document_identity';

interface Adoption {
  readonly found: FoundRow;
  readonly attempt: UnsettledAttempt;
  readonly document: FoundBytes;
  readonly parentAuthorityUuid: string | null;
  readonly cause: string;
}

@Injectable()
export class FoundDocuments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly budget: CallBudget,
    private readonly authority: AuthorityCalls,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Adopts each found document that certainly belongs to one attempt. Marks ambiguous documents as disputed.
   * @returns the number of found documents that the authority did not return
   */
  async match(tenantId: string | null, signal?: AbortSignal): Promise<number> {
    const { manager } = this.dataSource;
    const found = await readOpenFound(manager, tenantId);
    const attempts = await readUnsettledAttempts(manager, tenantId);
    let unavailable = 0;
    for (const group of groupFound(found, attempts)) {
      const [only, ...others] = group.found;
      const [attempt, ...rivals] = group.attempts;
      if (attempt === undefined) {
        await this.mark(group.found, 'missing');
      } else if (others.length + rivals.length > 0) {
        await this.mark(group.found, 'disputed');
      } else {
        const verdict = await this.compare(only, attempt, signal);
        if (verdict === 'unavailable') unavailable += 1;
        else if (verdict === 'different' || !(await this.adopt(verdict))) await this.mark(group.found, 'disputed');
      }
    }
    return unavailable;
  }

  /** Returns false if the attempt has changed, or if another attempt has the uuid or the issue time. */
  async adoptByDecision(found: FoundRow, attempt: UnsettledAttempt): Promise<boolean> {
    const read = found.authorityStatus === 'Invalid' ? { text: null } : await this.readText(found, attempt);
    if (read === 'unavailable') return false;
    const adoption = buildAdoption(found, attempt, read.text);
    return adoption !== null && this.adopt({ ...adoption, cause: 'operator_adopt' });
  }

  private async mark(found: readonly FoundRow[], state: 'missing' | 'disputed'): Promise<void> {
    const uuids = found.filter((row) => row.state !== state).map(({ authorityUuid }) => authorityUuid);
    if (uuids.length > 0) await setFoundState(this.dataSource.manager, found[0].environment, { uuids, state });
  }

  /**
   * Compares an invalid document by identity only, because the authority does not return its content. Invalid documents
   * have no effect on tax.
   */
  private async compare(
    found: FoundRow,
    attempt: UnsettledAttempt,
    signal?: AbortSignal,
  ): Promise<Adoption | 'different' | 'unavailable'> {
    const { issuedAt } = found;
    if (issuedAt === null || found.documentType === null) return 'different';
    if (found.authorityStatus === 'Invalid') return buildAdoption(found, attempt, null) ?? 'different';
    const read = await this.readText(found, attempt, signal);
    if (read === 'unavailable') return read;
    const { text } = read;
    if (text === null || !isDocumentOf(attempt, { text, issuedAt })) return 'different';
    return buildAdoption(found, attempt, text) ?? 'different';
  }

  /** Reads the document. `text` is null if the authority does not return it. */
  private async readText(
    { environment, authorityUuid }: FoundRow,
    { tenantId, onBehalfOf }: UnsettledAttempt,
    signal?: AbortSignal,
  ): Promise<{ readonly text: string | null } | 'unavailable'> {
    const slot = await this.budget.reserve(environment, 'raw', RAW_SLOT_WITHIN_MS);
    if (slot === null) return 'unavailable';
    const outcome = await this.authority.raw({ taxpayer: { tenantId, onBehalfOf }, slot, signal }, authorityUuid);
    if (outcome.kind === 'found') return { text: outcome.text };
    return outcome.kind === 'not-found' ? { text: null } : 'unavailable';
  }

  private async adopt(adoption: Adoption): Promise<boolean> {
    try {
      return await this.dataSource.transaction((tx) => this.write(tx, adoption));
    } catch (error) {
      // Another attempt has the same type, number, TIN and issue time.
      if (error instanceof QueryFailedError && readConstraint(error) === IDENTITY_CONSTRAINT) return false;
      throw error;
    }
  }

  // Lock order: the attempt, then its calls.
  private async write(tx: EntityManager, adoption: Adoption): Promise<boolean> {
    const { found, attempt, document, parentAuthorityUuid, cause } = adoption;
    const { tenantId, transactionId } = attempt;
    const locked = await lockAttempt(tx, attempt);
    if (locked === null) return false;
    const owners = await readUuidOwners(tx, found.environment, [found.authorityUuid]);
    if (owners.size > 0) return false;
    const now = await readServiceNow(tx);
    const { issuedAt } = document;
    const submittedAt = readSubmittedAt(found, { issuedAt, now });
    await storeFoundBytes(tx, attempt, document);
    const { clientId } = getAuthoritySettings(this.configuration, found.environment);
    const submissionId = await findOrAddSubmission(tx, tenantId, { ...found, submittedAt, clientId });
    const isQueued = locked.submissionStatus === 'Queued';
    await prepareAdoption(tx, attempt, { parentAuthorityUuid, moveTo: isQueued ? null : submissionId });
    const change = (to: StatusChange['to'], facts: StatusChange['facts']): Promise<Set<string>> =>
      changeStatuses(tx, { tenantId, now }, [{ transactionId, to, cause, facts }]);
    if (isQueued) await change('processing', { authoritySubmissionId: submissionId, issuedAt });
    const { authorityUuid } = found;
    await change('submitted', { authorityUuid, uuidConfirmed: true, issuedAt, submittedAt });
    if (locked.submissionId !== null) await endEmptied(tx, tenantId, locked.submissionId);
    await setFoundState(tx, found.environment, { uuids: [authorityUuid], state: 'adopted' });
    return true;
  }
}

function readConstraint({ driverError }: QueryFailedError): string | undefined {
  return (driverError as { constraint?: string }).constraint;
}

function buildAdoption(found: FoundRow, attempt: UnsettledAttempt, text: string | null): Adoption | null {
  const { issuedAt } = found;
  if (issuedAt === null) return null;
  const parentAuthorityUuid = text === null ? null : readParentUuid(text);
  const version = text === null ? '1.0' : readVersion(text);
  const facts = { issuedAt, version, parentAuthorityUuid: attempt.parentAuthorityUuid ?? parentAuthorityUuid } as const;
  const bytes = text === null ? buildAt(attempt, facts) : Buffer.from(text);
  if (bytes === null) return null;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { found, attempt, document: { bytes, sha256, issuedAt, version }, parentAuthorityUuid, cause: 'restored' };
}

interface FoundGroup {
  readonly found: readonly FoundRow[];
  readonly attempts: readonly UnsettledAttempt[];
}

function groupFound(found: readonly FoundRow[], attempts: readonly UnsettledAttempt[]): FoundGroup[] {
  const groups = new Map<string, FoundRow[]>();
  for (const row of found) groups.set(toKey(row), [...(groups.get(toKey(row)) ?? []), row]);
  return [...groups.values()].map((rows) => ({
    found: rows,
    attempts: attempts.filter((attempt) => hasIdentityOf(attempt, rows[0])),
  }));
}

function toKey({ environment, supplierTin, referenceId, documentType }: FoundRow): string {
  return JSON.stringify([environment, supplierTin, referenceId, documentType]);
}

/** Returns whether environment, TIN, number and type are equal. An unknown type equals any type. Pure. */
export function hasIdentityOf(attempt: UnsettledAttempt, found: FoundRow): boolean {
  return (
    attempt.environment === found.environment &&
    attempt.supplierTin === found.supplierTin &&
    attempt.referenceId === found.referenceId &&
    (found.documentType === null || attempt.documentType === found.documentType)
  );
}
