import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, TenantTransactions } from '../database/in-tenant.js';
import { hasInvisible } from '../http/validation/text.js';
import type { Supplier } from '../documents/simplified-document.js';
import type { Problem } from '../errors/problem.js';
import type { ReadRequest } from '../idempotency/decision.js';
import { buildSupplier } from '../tenants/supplier.js';
import { type TenantRow, toTenant, toVerification } from '../tenants/tenant-row.js';
import type { Verification } from '../tenants/verification/verification.js';
import type { CreditedParent } from './credited-parents.js';
import { type PreparedDocument, mustJudgeWith } from './prepare-submit.js';
import { type StoredReference, type StoredDocument, buildWanted, type WantedDocuments } from './stored-documents.js';
import { SubmitWorkers } from './submit-workers.js';

/** Input of the decision, read in a single snapshot. */
export type SubmitRead = StoredRows &
  Issuer & {
    readonly wanted: WantedDocuments;
    /** Problems of the documents that depend on the issuer's profile (prepare-submit.ts). */
    readonly profileProblems: readonly Problem[];
  };

type StoredRows = ReadRequest & {
  readonly stored: readonly StoredDocument[];
  readonly similar: readonly StoredReference[];
  readonly credited: readonly CreditedParent[];
};

interface Issuer {
  /** The issuer of the documents, or the missing fields of its profile. */
  readonly supplier: Supplier | { readonly missing: readonly string[] };
  readonly verification: Verification;
  readonly tenantVersion: string | null;
}

export interface SubmitToRead {
  readonly key: string | null;
  /** Empty if the body has problems. */
  readonly documents: readonly PreparedDocument[];
  readonly expectedAttempts?: number;
}

type ReadRow = StoredRows & { readonly tenant: TenantRow };

const READ = /* sql */ `
  SELECT now, body_hash, response_status, response, tenant, stored, similar_references AS similar, credited
    FROM read_for_submit($1, $2, $3, $4, $5, $6, $7, $8)`;

const REMEMBERED_MS = 2_000;
/** Clears the cache when it is full. */
const REMEMBERED_MAX = 1_000;

interface Remembered {
  readonly issuer: Issuer & { readonly supplier: Supplier };
  /** The database's time, and the value of `performance.now()` at the same moment. */
  readonly now: Date;
  readonly readAt: number;
}

const NOTHING_STORED = {
  body_hash: null,
  response_status: null,
  response: null,
  stored: [],
  similar: [],
  credited: [],
  profileProblems: [],
} as const;

@Injectable()
export class SubmitReader {
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    private readonly workers: SubmitWorkers,
  ) {}

  /**
   * Returns a function that reads the input of a decision. It may be called again after a conflict. Shortly after
   * another submit of the organisation, the first call assumes an unchanged organisation and new documents instead of
   * reading them. `store_submission` compares the assumption with the database, so a wrong assumption only costs an
   * extra read.
   */
  createRead(caller: Caller, submit: SubmitToRead): () => Promise<SubmitRead> {
    let assumed = this.assume(caller, submit);
    return () => {
      const first = assumed;
      assumed = null;
      return first === null ? this.read(caller, submit) : Promise.resolve(first);
    };
  }

  /** Returns null if the submit may have to be rejected for a reason that only the database knows. */
  private assume(caller: Caller, { key, documents, expectedAttempts }: SubmitToRead): SubmitRead | null {
    const found = this.remembered.get(toName(caller));
    if (found === undefined || key === null || documents.length === 0 || expectedAttempts !== undefined) return null;
    const { issuer, now, readAt } = found;
    const age = performance.now() - readAt;
    if (age >= REMEMBERED_MS || mustJudgeWith(documents, issuer.supplier) || documents.some(mustLookUp)) return null;
    const wanted = buildWanted(documents);
    return { ...NOTHING_STORED, ...issuer, now: new Date(now.getTime() + age), wanted };
  }

  private async read(caller: Caller, submit: SubmitToRead): Promise<SubmitRead> {
    const { documents } = submit;
    const wanted = buildWanted(documents);
    const { tenant, ...rows } = await this.transactions.inShare(caller, () =>
      readForSubmit(this.dataSource, caller, { key: submit.key, documentCount: documents.length, wanted }),
    );
    const supplier = buildSupplier(toTenant(this.dataSource, tenant));
    const verification = toVerification(tenant);
    const tenantVersion = tenant['version'] as string | null;
    if ('missing' in supplier) return { ...rows, supplier, verification, tenantVersion, wanted, profileProblems: [] };
    const issuer = { supplier, verification, tenantVersion };
    this.remember(caller, issuer, rows.now);
    const mustJudge = rows.response === null && mustJudgeWith(documents, supplier);
    const profileProblems = mustJudge ? await this.workers.judgeWithSupplier(documents, supplier, caller.tenantId) : [];
    return { ...rows, ...issuer, wanted, profileProblems };
  }

  private remember(caller: Caller, issuer: Remembered['issuer'], now: Date): void {
    if (issuer.verification.status !== 'verified') return;
    if (this.remembered.size >= REMEMBERED_MAX) this.remembered.clear();
    this.remembered.set(toName(caller), { issuer, now, readAt: performance.now() });
  }
}

function toName({ tenantId, environment }: Caller): string {
  return `${tenantId}/${environment}`;
}

/** A credit note references another document, and only stored numbers may contain invisible characters. */
function mustLookUp({ document: { relatedInvoice, referenceId } }: PreparedDocument): boolean {
  return relatedInvoice !== null || hasInvisible(referenceId);
}

export async function readForSubmit(
  connection: Pick<EntityManager, 'query'>,
  { tenantId, environment }: Caller,
  { key, documentCount, wanted }: { key: string | null; documentCount: number; wanted: WantedDocuments },
): Promise<ReadRow> {
  const { types, referenceIds, numberKeys, authorityUuids } = wanted;
  const parameters = [tenantId, environment, key, documentCount, types, referenceIds, numberKeys, authorityUuids];
  const [row] = await connection.query<ReadRow[]>(READ, parameters);
  return row;
}
