import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { isCalendarDate } from '../common/malaysian-days.js';
import { ValidationError } from '../errors/api-error.js';
import type { Problem } from '../errors/problem.js';

/** Default page size. */
export const PAGE_ROWS = 50;
export const PAGE_ROWS_MAX = 200;

/** Forms of a cursor: an id, an entry number, or an id preceded by a date or an amount in sen. */
const POSITIONS = {
  uuid: (text: string): boolean => isUuid(text),
  sequence: (text: string): boolean => /^\d{1,15}$/.test(text),
  date: (text: string): boolean => isDatabaseDate(text.slice(0, 10)) && text[10] === ':' && isUuid(text.slice(11)),
  amount: (text: string): boolean => /^-?\d{1,17}:/.test(text) && isUuid(text.slice(text.indexOf(':') + 1)),
} as const;

/** Returns whether PostgreSQL accepts the calendar date. PostgreSQL has no year 0. */
export function isDatabaseDate(text: string): boolean {
  return isCalendarDate(text) && text >= '0001';
}

export type PositionKind = keyof typeof POSITIONS;

export interface PageRequest {
  readonly limit: number;
  /** Position of the last row on the previous page, or null for the first page. */
  readonly after: string | null;
}

export interface Page<Row> {
  readonly items: Row[];
  /** Cursor of the next page, or null on the last page. */
  readonly next: string | null;
}

/**
 * Reads the parameters `cursor` and `limit`.
 * @param position form of the cursors of the list
 * @throws ValidationError (400) for a malformed cursor or limit
 */
export function readPage(query: unknown, position: PositionKind = 'uuid'): PageRequest {
  const { cursor, limit } = query as { cursor?: unknown; limit?: unknown };
  const problems: Problem[] = [];
  const after = isLeftOut(cursor) ? null : decode(cursor);
  if (after !== null && !POSITIONS[position](after)) problems.push(CURSOR_PROBLEM);
  const rows = isLeftOut(limit) ? PAGE_ROWS : parseLimit(limit);
  if (!(rows >= 1 && rows <= PAGE_ROWS_MAX)) problems.push(LIMIT_PROBLEM);
  if (problems.length > 0) throw new ValidationError(problems);
  return { limit: rows, after };
}

/**
 * Builds a page from rows in the order of the list.
 * @param rows up to one row more than the limit, which shows that the list has another page
 * @param toPosition returns the position of a row, in the form passed to `readPage`
 */
export function toPage<Row>(rows: readonly Row[], { limit }: PageRequest, toPosition: (row: Row) => string): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? encodeCursor(toPosition(last)) : null };
}

/** Returns the cursor of the page that follows a position. */
export function encodeCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

/** Returns the request for the page of a valid cursor. */
export function afterCursor(cursor: string, limit: number): PageRequest {
  return { limit, after: decode(cursor) };
}

/** Describes the parameters `cursor` and `limit`. */
export function PageQuery(): MethodDecorator {
  return applyDecorators(
    ApiQuery({ name: 'cursor', required: false, type: String, description: '`next` of the previous page.' }),
    ApiQuery({
      name: 'limit',
      required: false,
      description: 'Rows per page.',
      schema: { type: 'integer', minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS },
    }),
  );
}

/** Creates the response class of a list with rows of this type. */
export function PageOf<Row>(type: new () => Row, description?: string): new () => Page<Row> {
  class PageDto implements Page<Row> {
    @ApiProperty({ type, isArray: true, ...(description !== undefined && { description }) })
    items: Row[];

    @ApiProperty({ type: String, nullable: true, description: 'Cursor of the next page; null on the last page.' })
    next: string | null;
  }
  return PageDto;
}

const CURSOR_PROBLEM: Problem = {
  pointer: '/cursor',
  rule: 'cursor_form',
  message: 'is not a cursor of this list',
  hint: 'leave it out for the first page, then send `next` of the previous page',
};

const LIMIT_PROBLEM: Problem = {
  pointer: '/limit',
  rule: 'limit_range',
  message: `must be a whole number from 1 to ${PAGE_ROWS_MAX}`,
  hint: `leave it out for ${PAGE_ROWS}`,
};

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === '';
}

function parseLimit(value: unknown): number {
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN;
}

function decode(cursor: unknown): string {
  return typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
}
