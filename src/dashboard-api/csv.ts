import { Compressed } from '../http/compression.js';
import { MALAYSIA_OFFSET_MS } from '../common/malaysian-days.js';
import { Readable } from 'node:stream';
import { applyDecorators, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import { RecordedDownload } from './recorded-download.js';
import { streamFile } from './streamed-file.js';
import { type Page, afterCursor, type PageRequest } from './cursor.js';

export type CsvValue = string | number | boolean | Date | null;

/** A column: its heading, and what a row has in it. */
export interface CsvColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => CsvValue;
}

export interface CsvFile<Row> {
  /** Without its ending. */
  readonly name: string;
  readonly columns: readonly CsvColumn<Row>[];
}

// What one statement reads: enough that its cost is the rows, little enough that a download holds no memory.
const ROWS_AT_ONCE = 500;
// Spreadsheets guess the encoding without it.
const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';

// A spreadsheet runs a text that begins with one of these signs as a formula. Some spreadsheets drop invisible characters
// before the sign, or read its full-width, small and raised forms as the sign. A plain negative number is no formula.
const SIGNS = '=+\\-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−﬩';
const UNSEEN = String.raw`\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}`;
const FORMULA = new RegExp(`^[${UNSEEN}]*[${SIGNS}]|^[\\t\\r\\n]`, 'u');
// Where the list separator is not a comma, a quotation mark within a cell does not quote: the next separator or line
// break ends the cell, and the next cell begins in the middle of the text. The sign is optional so that each run of
// separators is scanned once.
const CELL_START = new RegExp(`([;|\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029][";|${UNSEEN}]*)([${SIGNS}]?)`, 'gu');
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/** A column of instants: in Malaysian time, as its heading says, in the form that spreadsheets read as a date. */
export function createInstantColumn<Row>(title: string, value: (row: Row) => Date | null): CsvColumn<Row> {
  return { title: `${title} (UTC+8)`, value };
}

/**
 * A list as a file (RFC 4180, UTF-8 with its mark), written while it is read, page by page, so that a million rows take
 * no more memory than a few hundred. The first page is read here: what the list refuses is a response, not a broken
 * file. When a later page fails, the connection is cut: a short file never looks like a whole one.
 * @param holder whose file it is, for its share of those that are written at the same time
 * @param read reads a page of the list, in its own transaction
 * @throws NoSlotError when none of these ends in time
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

/** Documents a response that is a CSV file, and enters it in the audit log. */
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

/** One line of a file, with its end. */
export function formatCsvLine(values: readonly CsvValue[]): string {
  return values.map(quoteField).join(',') + LINE_END;
}

function quoteField(value: CsvValue): string {
  const text = typeof value === 'string' ? escapeFormulas(value) : formatPlain(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Puts an apostrophe before each sign with which a spreadsheet would begin a formula. */
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
