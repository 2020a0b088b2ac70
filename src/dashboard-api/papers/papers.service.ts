import { Inject, Injectable, type StreamableFile } from '@nestjs/common';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { ValidationError } from '../../errors/api-error.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { computeSha256, formatManifestLine, MANIFEST } from '../../paper/manifest.js';
import { createZip, type ZipEntry } from '../../paper/zip.js';
import { PaperPrinter, type Paper } from '../../paper/paper-printer.js';
import { afterCursor, type PageRequest } from '../cursor.js';
import { streamFile } from '../streamed-file.js';
import type { ListRequest } from '../transactions/list-query.js';
import type { Download } from '../transactions/transaction-detail.service.js';
import { TransactionListService } from '../transactions/transaction-list.service.js';
import { buildEvidenceFiles, README } from './evidence-files.js';
import { type PaperRow, READ_PAPER, type EvidenceRow, READ_EVIDENCE } from './papers.sql.js';
import type { Environment } from '../../config/environment.js';
import type { ShownStatus } from '../transactions/shown-status.js';

/** Limits memory, because the directory of a ZIP file is kept until its end. */
export const DOCUMENTS_MAX = 5_000;
const ROWS_AT_ONCE = 500;
const ZIP_TYPE = 'application/zip';

const NOT_PRINTED = { message: 'Only documents that the tax authority has found valid have a PDF' };
const NOTHING_FOUND = { message: 'The list has no such document: choose other days or filters' };

/** Creates downloads of documents (docs/rules.md#paper-and-evidence). */
@Injectable()
export class PapersService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly list: TransactionListService,
    private readonly printer: PaperPrinter,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws DashboardError (404), also for a document that is not valid */
  async printPdf(caller: Caller, transactionId: string): Promise<Download> {
    const row = await this.readPaper(caller, transactionId);
    const content = await this.tryPrint(caller, row);
    if (content === null) throw new DashboardError('not_found_here', NOT_PRINTED);
    return { name: `${buildFileName(row)}.pdf`, content };
  }

  /** @throws DashboardError (404) without a valid document, ValidationError (400) for too many documents */
  zipPdfs(caller: Caller, request: ListRequest): Promise<StreamableFile> {
    const statuses = request.statuses.filter((status) => PRINTED_STATUSES.includes(status));
    const file = { holder: caller.tenantId, name: `documents${formatDays(request)}-pdf.zip`, type: ZIP_TYPE };
    return streamFile(file, async (clock) => {
      const ids = await this.listIds(caller, { ...request, statuses });
      return createZip(clock.pauseWhileMade(this.writePdfs(caller, ids)));
    });
  }

  /** @throws DashboardError (404) */
  async zipOneEvidence(caller: Caller, transactionId: string): Promise<StreamableFile> {
    const row = await this.readEvidence(caller, transactionId);
    const file = { holder: caller.tenantId, name: `${buildFileName(row)}-evidence.zip`, type: ZIP_TYPE };
    return streamFile(file, (clock) =>
      Promise.resolve(createZip(clock.pauseWhileMade(this.writeEvidence(caller, [transactionId])))),
    );
  }

  /** @throws DashboardError (404) for an empty list, ValidationError (400) for too many documents */
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
      // Null if an operator has found out meanwhile that the authority's document belongs to another document.
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

  /**
   * Lists the attempts before the response starts, so that an error becomes an error response instead of a
   * truncated file.
   */
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

function assertFound<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new DashboardError('not_found_here');
  return row;
}

const TOO_MANY = {
  pointer: '/from',
  rule: 'documents_of_zip',
  message: `selects more than ${DOCUMENTS_MAX.toLocaleString('en')} documents, the maximum of a file`,
  hint: 'choose fewer days',
};

/** Formats the range of document dates, or otherwise of acceptance days, for a file name. */
function formatDays({ from, to, dated }: ListRequest): string {
  return [dated.from ?? from, dated.to ?? to].map((day) => (day === null ? '' : `-${day}`)).join('');
}

/** Returns a portable file name without extension, such as `invoice-INV-1001`. */
function buildFileName({ documentType, referenceId }: Pick<PaperRow, 'documentType' | 'referenceId'>): string {
  return `${documentType}-${referenceId.replaceAll(/[^\w.-]+/g, '_').replace(/\.+$/, '')}`;
}

/** Resolves conflicts between names in a ZIP file that differ only in case or in replaced characters. */
class UniqueNames {
  private readonly taken = new Set<string>();

  take(name: string): string {
    let free = name;
    for (let copy = 2; this.taken.has(free.toLowerCase()); copy += 1) free = `${name}-${copy}`;
    this.taken.add(free.toLowerCase());
    return free;
  }
}

/** The PDF of a cancelled document shows the cancellation. */
const PRINTED_STATUSES: readonly ShownStatus[] = ['Valid', 'Cancelled'];

/** Returns the input of the printer, or null if the document has no PDF. */
function toPaper(row: PaperRow, environment: Environment, portalUrl: string): Paper | null {
  const { status, uuid, validatedAt, cancelledAt, bytes } = row;
  const validationUrl = buildValidationUrl(row, portalUrl);
  if (!PRINTED_STATUSES.includes(status)) return null;
  if (uuid === null || validationUrl === null || validatedAt === null || bytes === null) return null;
  return {
    // Copies the bytes, because transferring a buffer would transfer its whole pool.
    bytes: Uint8Array.from(bytes),
    environment,
    uuid,
    validationUrl,
    validatedAt,
    isCancelled: status === 'Cancelled',
    cancelledAt,
  };
}

/** Returns the public page of the document at the authority, or null before validation. */
function buildValidationUrl({ uuid, longId }: PaperRow, portalUrl: string): string | null {
  return uuid === null || longId === null ? null : `${portalUrl}/${uuid}/share/${longId}`;
}
