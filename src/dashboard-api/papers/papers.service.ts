import { Inject, Injectable, type StreamableFile } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { ValidationError } from '../../errors/api-error.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { computeSha256, formatManifestLine, MANIFEST } from '../../paper/manifest.js';
import { createZip, type ZipEntry } from '../../paper/zip.js';
import { PaperPrinter } from '../../paper/paper-printer.js';
import { afterCursor, type PageRequest } from '../cursor.js';
import { streamFile } from '../streamed-file.js';
import type { ListRequest } from '../transactions/list-query.js';
import type { Download } from '../transactions/transaction-detail.service.js';
import { TransactionListService } from '../transactions/transaction-list.service.js';
import { buildEvidenceFiles, README } from './evidence-files.js';
import { type PaperRow, READ_PAPER, type EvidenceRow, READ_EVIDENCE } from './papers.sql.js';
import type { Environment } from '../../config/environment.js';
import type { Paper } from '../../paper/paper.js';
import type { ShownStatus } from '../transactions/shown-status.js';

/** A month of most organisations; the table of contents of a ZIP is held until its end. */
export const DOCUMENTS_MAX = 5_000;
const ROWS_AT_ONCE = 500;
const ZIP_TYPE = 'application/zip';

const NOT_PRINTED = { message: 'Only a document that the tax authority has found valid has a PDF' };
const NOTHING_FOUND = { message: 'No such document is among these: choose other days or filters' };

/** Creates downloads of documents (docs/rules.md#paper-and-evidence). */
@Injectable()
export class PapersService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly list: TransactionListService,
    private readonly printer: PaperPrinter,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws DashboardError (404), also for a document that has not become valid */
  async printPdf(caller: Caller, transactionId: string): Promise<Download> {
    const row = await this.readPaper(caller, transactionId);
    const content = await this.tryPrint(caller, row);
    if (content === null) throw new DashboardError('not_found_here', NOT_PRINTED);
    return { name: `${buildFileName(row)}.pdf`, content };
  }

  /**
   * The PDFs of the valid documents of a list.
   * @throws DashboardError (404) when there is none, ValidationError (400) when there are too many
   */
  zipPdfs(caller: Caller, request: ListRequest): Promise<StreamableFile> {
    const statuses = request.statuses.filter((status) => PRINTED_STATUSES.includes(status));
    const file = { holder: caller.tenantId, name: `documents${formatDays(request)}-pdf.zip`, type: ZIP_TYPE };
    return streamFile(file, async (clock) => {
      const ids = await this.listIds(caller, { ...request, statuses });
      return createZip(clock.pauseWhileMade(this.writePdfs(caller, ids)));
    });
  }

  /**
   * Everything that is stored of an attempt, with a manifest.
   * @throws DashboardError (404)
   */
  async zipOneEvidence(caller: Caller, transactionId: string): Promise<StreamableFile> {
    const row = await this.readEvidence(caller, transactionId);
    const file = { holder: caller.tenantId, name: `${buildFileName(row)}-evidence.zip`, type: ZIP_TYPE };
    return streamFile(file, (clock) =>
      Promise.resolve(createZip(clock.pauseWhileMade(this.writeEvidence(caller, [transactionId])))),
    );
  }

  /**
   * The same of every attempt of a list.
   * @throws DashboardError (404) when there is none, ValidationError (400) when there are too many
   */
  zipEvidence(caller: Caller, request: ListRequest): Promise<StreamableFile> {
    const file = { holder: caller.tenantId, name: `documents${formatDays(request)}-evidence.zip`, type: ZIP_TYPE };
    return streamFile(file, async (clock) => {
      const ids = await this.listIds(caller, request);
      return createZip(clock.pauseWhileMade(this.writeEvidence(caller, ids)));
    });
  }

  private async *writePdfs(caller: Caller, ids: readonly string[]): AsyncGenerator<ZipEntry> {
    const names = new UniqueNames();
    for (const id of ids) {
      const row = await this.readPaper(caller, id);
      const content = await this.tryPrint(caller, row);
      // Null for one that is no longer valid: an operator has found out that the authority's document is another's.
      if (content !== null) yield { path: `${names.take(buildFileName(row))}.pdf`, content, isCompressed: true };
    }
  }

  private async *writeEvidence(caller: Caller, ids: readonly string[]): AsyncGenerator<ZipEntry> {
    const lines: string[] = [];
    for await (const entry of this.listEvidence(caller, ids)) {
      lines.push(formatManifestLine(entry.path, computeSha256(entry.content)));
      yield entry;
    }
    yield { path: MANIFEST, content: Buffer.from(lines.join('')) };
  }

  private async *listEvidence(caller: Caller, ids: readonly string[]): AsyncGenerator<ZipEntry> {
    yield README;
    const names = new UniqueNames();
    for (const id of ids) {
      const row = await this.readEvidence(caller, id);
      const name = buildFileName(row);
      const folder = names.take(`${name}-attempt-${row.attempt}`);
      yield* buildEvidenceFiles(row, folder, buildValidationUrl(row, this.getPortalUrl(caller)));
      const pdf = await this.tryPrint(caller, row);
      if (pdf !== null) yield { path: `${folder}/${name}.pdf`, content: pdf, isCompressed: true };
    }
  }

  private async tryPrint(caller: Caller, row: PaperRow): Promise<Buffer | null> {
    const paper = toPaper(row, caller.environment, this.getPortalUrl(caller));
    return paper === null ? null : this.printer.print(paper, caller.tenantId);
  }

  private async readPaper(caller: Caller, transactionId: string): Promise<PaperRow> {
    const rows = await this.transactions.inTenant(caller, ({ tx }) =>
      tx.query<PaperRow[]>(READ_PAPER, [caller.tenantId, caller.environment, transactionId]),
    );
    return assertFound(rows);
  }

  private async readEvidence(caller: Caller, transactionId: string): Promise<EvidenceRow> {
    const rows = await this.transactions.inTenant(caller, ({ tx }) =>
      tx.query<EvidenceRow[]>(READ_EVIDENCE, [caller.tenantId, caller.environment, transactionId]),
    );
    return assertFound(rows);
  }

  /** Found before the first byte is sent, so that what cannot be had is a response and no broken file. */
  private async listIds(caller: Caller, request: ListRequest): Promise<string[]> {
    const ids: string[] = [];
    let page: PageRequest | null = { limit: ROWS_AT_ONCE, after: null };
    while (page !== null && ids.length <= DOCUMENTS_MAX) {
      const { items, next } = await this.list.list(caller, request, page);
      ids.push(...items.map(({ transactionId }) => transactionId));
      page = next === null ? null : afterCursor(next, ROWS_AT_ONCE);
    }
    if (ids.length === 0) throw new DashboardError('not_found_here', NOTHING_FOUND);
    if (ids.length > DOCUMENTS_MAX) throw new ValidationError([TOO_MANY]);
    return ids;
  }

  private getPortalUrl({ environment }: Caller): string {
    const authority = this.configuration.authorities[environment];
    if (authority === undefined) throw new DashboardError('environment_not_served');
    return authority.portalUrl;
  }
}

/** @throws DashboardError (404) when there is no row */
function assertFound<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new DashboardError('not_found_here');
  return row;
}

const TOO_MANY = {
  pointer: '/from',
  rule: 'documents_of_zip',
  message: `leaves more than ${DOCUMENTS_MAX.toLocaleString('en')} documents, which one file does not hold`,
  hint: 'choose fewer days',
};

/** The days of the documents, or those of their acceptance. */
function formatDays({ from, to, dated }: ListRequest): string {
  return [dated.from ?? from, dated.to ?? to].map((day) => (day === null ? '' : `-${day}`)).join('');
}

/**
 * The name of a document's files without their ending, `invoice-INV-1001`: one that every file system takes, since it
 * begins with the type and has letters, digits, dots, hyphens and underscores only.
 */
function buildFileName({ documentType, referenceId }: Pick<PaperRow, 'documentType' | 'referenceId'>): string {
  return `${documentType}-${referenceId.replaceAll(/[^\w.-]+/g, '_').replace(/\.+$/, '')}`;
}

/** Names of one ZIP: numbers that differ only in what is replaced, or in case, get different ones all the same. */
class UniqueNames {
  private readonly taken = new Set<string>();

  take(name: string): string {
    let free = name;
    for (let copy = 2; this.taken.has(free.toLowerCase()); copy += 1) free = `${name}-${copy}`;
    this.taken.add(free.toLowerCase());
    return free;
  }
}

/** Documents that the authority has found valid have a PDF; one that was cancelled later says so on it. */
const PRINTED_STATUSES: readonly ShownStatus[] = ['Valid', 'Cancelled'];

/** What a document is printed from; null while it has no PDF. */
function toPaper(row: PaperRow, environment: Environment, portalUrl: string): Paper | null {
  const { status, uuid, validatedAt, cancelledAt, bytes } = row;
  const validationUrl = buildValidationUrl(row, portalUrl);
  if (!PRINTED_STATUSES.includes(status)) return null;
  if (uuid === null || validationUrl === null || validatedAt === null || bytes === null) return null;
  return {
    // A copy: of a buffer, its whole pool would go to the thread.
    bytes: Uint8Array.from(bytes),
    environment,
    uuid,
    validationUrl,
    validatedAt,
    isCancelled: status === 'Cancelled',
    cancelledAt,
  };
}

/** The authority's public page of the document; null until the authority has named it. */
function buildValidationUrl({ uuid, longId }: PaperRow, portalUrl: string): string | null {
  return uuid === null || longId === null ? null : `${portalUrl}/${uuid}/share/${longId}`;
}
