import { Readable } from 'node:stream';
import { applyDecorators, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import { MALAYSIA_OFFSET_MS } from '../common/malaysian-days.js';
import { Compressed } from '../http/compression.js';
import { type Page, afterCursor, type PageRequest } from './cursor.js';
import { RecordedDownload } from './recorded-download.js';
import { streamFile } from './streamed-file.js';

export type CsvValue = string | number | boolean | Date | null;

export interface CsvColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => CsvValue;
}

export interface CsvFile<Row> {
  /** File name without its extension. */
  readonly name: string;
  readonly columns: readonly CsvColumn<Row>[];
}

// Large enough to amortise the cost of a statement, and small enough to limit the memory of a download.
const ROWS_AT_ONCE = 500;
// Without a byte order mark, spreadsheets guess the encoding.
const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';

// Spreadsheets evaluate a cell that starts with one of these characters as a formula. Some spreadsheets drop invisible
// characters before the sign, or accept its full-width, small and superscript forms.
const SIGNS = '=+\\-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−﬩';
const UNSEEN = String.raw`\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}`;
const FORMULA = new RegExp(`^[${UNSEEN}]*[${SIGNS}]|^[\\t\\r\\n]`, 'u');
// If the list separator is not a comma, a separator or line break inside a quoted field may start a new cell. The sign
// is optional, so that the expression scans each run of separators only once.
const CELL_START = new RegExp(`([;|\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029][";|${UNSEEN}]*)([${SIGNS}]?)`, 'gu');
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/** Column for timestamps in Malaysian time, formatted so that spreadsheets parse them as dates. */
export function createInstantColumn<Row>(title: string, value: (row: Row) => Date | null): CsvColumn<Row> {
  return { title: `${title} (UTC+8)`, value };
}

/**
 * Streams a list as CSV (RFC 4180, UTF-8 with a byte order mark), one page at a time. Reads the first page before the
 * response starts, so that an invalid filter is an error response. If a later page fails, the connection is closed, so
 * that the client does not mistake a truncated file for a complete one.
 * @param holder owner of the slot that the file occupies
 * @param read reads a page of the list in its own database transaction
 * @throws NoSlotError if no slot is released in time
 */
export async function createCsvFile<Row>(
  file: CsvFile<Row>,
  holder: string,
  read: (request: PageRequest) => Promise<Page<Row>>,
): Promise<StreamableFile> {
  return streamFile({ holder, name: `${file.name}.csv`, type: 'text/csv; charset=utf-8' }, async (clock) => {
    const readNext: typeof read = (request) => clock.makePart(() => read(request));
    const first = await read({ limit: ROWS_AT_ONCE, after: null });
    return Readable.from(streamText(file, first, readNext), { highWaterMark: 1 });
  });
}

/** Describes a CSV response and records each download in the audit log. */
export function CsvResponse(description: string): MethodDecorator {
  return applyDecorators(
    RecordedDownload(),
    Compressed(),
    ApiProduces('text/csv'),
    ApiOkResponse({ description, schema: { type: 'string', format: 'binary' } }),
  );
}

async function* streamText<Row>(
  { columns }: CsvFile<Row>,
  first: Page<Row>,
  read: (request: PageRequest) => Promise<Page<Row>>,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + formatCsvLine(columns.map(({ title }) => title));
  for (let page: Page<Row> | null = first; page !== null; page = await readNextPage(page, read)) {
    yield page.items.map((row) => formatCsvLine(columns.map(({ value }) => value(row)))).join('');
  }
}

async function readNextPage<Row>(
  { next }: Page<Row>,
  read: (request: PageRequest) => Promise<Page<Row>>,
): Promise<Page<Row> | null> {
  return next === null ? null : read(afterCursor(next, ROWS_AT_ONCE));
}

/** Formats one line, including its line break. */
export function formatCsvLine(values: readonly CsvValue[]): string {
  return values.map(quoteField).join(',') + LINE_END;
}

function quoteField(value: CsvValue): string {
  const text = typeof value === 'string' ? escapeFormulas(value) : formatPlain(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Inserts an apostrophe before each sign that would start a formula in a spreadsheet. */
function escapeFormulas(text: string): string {
  const whole = FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return whole.replaceAll(CELL_START, (_, before: string, sign: string) =>
    sign === '' ? before : `${before}'${sign}`,
  );
}

function formatPlain(value: Exclude<CsvValue, string>): string {
  if (value === null) return '';
  if (!(value instanceof Date)) return String(value);
  return new Date(value.getTime() + MALAYSIA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}
