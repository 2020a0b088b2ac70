import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, TenantTransactions } from '../database/in-tenant.js';
import { hasInvisible } from '../documents/invisible.js';
import type { Supplier } from '../documents/simplified-document.js';
import type { Problem } from '../errors/problem.js';
import type { ReadRequest } from '../idempotency/decision.js';
import { buildSupplier } from '../tenants/supplier.js';
import { type TenantRow, toTenant, toVerification } from '../tenants/tenant-row.js';
import type { Verification } from '../tenants/verification/verification.js';
import type { CreditedParent } from './credited-parents.js';
import type { PreparedDocument } from './prepare-submit.js';
import type { StoredReference } from './similar-references.js';
import type { StoredDocument } from './stored-documents.js';
import { SubmitWorkers } from './submit-workers.js';
import { mustJudgeWith } from './supplier-rules.js';
import { buildWanted, type WantedDocuments } from './wanted-numbers.js';

/** What a submit is decided on, all of one moment. */
export type SubmitRead = StoredRows &
  Issuer & {
    readonly wanted: WantedDocuments;
    /** What the issuer's profile makes invalid in the documents (supplier-rules.ts). */
    readonly profileProblems: readonly Problem[];
  };

type StoredRows = ReadRequest & {
  readonly stored: readonly StoredDocument[];
  readonly similar: readonly StoredReference[];
  readonly credited: readonly CreditedParent[];
};

interface Issuer {
  /** The issuer of the documents, or what its profile lacks. */
  readonly supplier: Supplier | { readonly missing: readonly string[] };
  readonly verification: Verification;
  readonly tenantVersion: string | null;
}

export interface SubmitToRead {
  /** Null for a dry run. */
  readonly key: string | null;
  /** None if the body breaks rules. */
  readonly documents: readonly PreparedDocument[];
  readonly expectedAttempts?: number;
}

type ReadRow = StoredRows & { readonly tenant: TenantRow };

const READ = /* sql */ `
  SELECT now, body_hash, response_status, response, tenant, stored, similar_references AS similar, credited
    FROM read_for_submit($1, $2, $3, $4, $5, $6, $7, $8)`;

/** Lifetime of a remembered issuer in milliseconds. */
const REMEMBERED_MS = 2_000;
/** More issuers than this are forgotten, which only costs reads. */
const REMEMBERED_MAX = 1_000;

interface Remembered {
  readonly issuer: Issuer & { readonly supplier: Supplier };
  /** The database's clock, and a monotonic one in milliseconds, at the read. */
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

/** Reads what submits are decided on. */
@Injectable()
export class SubmitReader {
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TenantTransactions,
    private readonly workers: SubmitWorkers,
  ) {}

  /**
   * Returns the read of one submit, which runs again if the submit is decided again. Soon after another submit of the
   * organisation, its first result is assumed instead of read: the organisation is unchanged, and the documents are new.
   * `store_submission` compares every result with the database, so an assumption that is wrong only costs the read.
   */
  createRead(caller: Caller, submit: SubmitToRead): () => Promise<SubmitRead> {
    let assumed = this.assume(caller, submit);
    return () => {
      const first = assumed;
      assumed = null;
      return first === null ? this.read(caller, submit) : Promise.resolve(first);
    };
  }

  /** Returns null for a submit that could be refused for a reason that only a read finds. */
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
    // A worker thread builds documents near the authority's size limit, because that takes long.
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

/** A credit note refers to another document, and only a number that is stored already may have invisible characters. */
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
